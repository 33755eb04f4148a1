import type { LogState } from "./log-state.js";
import { tableOf, type SegmentFile } from "./segment.js";
import type { SegmentFolder } from "./segment-folder.js";
import type { Scanned, SegmentWorkers } from "./segment-tasks.js";

export interface OpenSegmentsOptions {
  readonly folder: SegmentFolder;
  readonly express: SegmentWorkers;
  /** Blocks of a segment. */
  readonly slots: number;
  /** The most segments there may be. */
  readonly maxSegments: number;
  /** Names of segments that must not be written again. */
  readonly suspects: LogState["suspects"];
  /** Whether blocks without a checksum are whole. */
  readonly trustUnchecked: boolean;
}

/** A segment as it was found. */
export interface FoundSegment extends Scanned {
  readonly file: SegmentFile;
  readonly table: SharedArrayBuffer;
  readonly epoch: number;
}

/**
 * Opens the segments of a folder, oldest first, with what counts of their tables. What holds nothing of use, and the
 * oldest of those that are too many, is removed.
 */
export async function openSegments(options: OpenSegmentsOptions): Promise<FoundSegment[]> {
  const { folder, maxSegments } = options;
  const found: FoundSegment[] = [];
  try {
    for (const name of await folder.names()) {
      const segment = await openSegment(name, options);
      if (segment !== null) found.push(segment);
    }
    found.sort((a, b) => a.epoch - b.epoch);
    while (found.length > maxSegments) {
      const oldest = found.shift();
      if (oldest !== undefined) await folder.discard(oldest.file);
    }
    return found;
  } catch (error) {
    for (const { file } of found) await folder.close(file);
    throw error;
  }
}

async function openSegment(name: string, options: OpenSegmentsOptions): Promise<FoundSegment | null> {
  const { folder, express, slots, suspects, trustUnchecked } = options;
  const file = await folder.open(name, suspects.includes(name));
  if (file === null) {
    await folder.remove(name);
    return null;
  }
  const table = tableOf(slots);
  const scanned = await express
    .run({ op: "scan", fd: file.fd, table, trustUnchecked })
    .catch(async (error: unknown) => {
      await folder.close(file);
      throw error;
    });
  if ("epoch" in scanned && scanned.epoch !== null) return { ...scanned, epoch: scanned.epoch, file, table };
  // Its header is damaged, or it cannot be read: nobody can tell what is in it.
  await folder.discard(file);
  return null;
}
