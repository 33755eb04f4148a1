import { formatByteSize } from "../../config/byte-size.js";
import { configInvalid } from "../../config/config-invalid.js";
import type { ConfigProblem } from "../../errors/kv-tier-error.js";
import type { LogSizes } from "./size-rule.js";
import { segmentBytesOf, slotsIn } from "./worker/segment-format.js";

/** Large enough that a segment is recycled seldom, and small enough that little is lost at a time. */
const DEFAULT_SEGMENT_BYTES = 256 * 2 ** 20;
/** With fewer, recycling one would leave nothing. */
const MIN_SEGMENTS = 2;
/** Of `max_bytes`, if the default is more than that. */
const DEFAULT_SEGMENTS = 4;
/** Every segment takes a file descriptor, and many systems give a process 1,024 of them. */
const MAX_SEGMENTS = 512;
/** Room for the header, the table and one byte. */
const MIN_SEGMENT_BYTES = segmentBytesOf({ slots: 1, blockBytes: 1 });
/** The table of a segment is read and kept as a whole. */
const MAX_SEGMENT_BYTES = 64 * 2 ** 30;
const MAX_BYTES = MAX_SEGMENTS * MAX_SEGMENT_BYTES;
/** The index counts slots in 32 bits, with one number for none. */
const MAX_SLOTS = 2 ** 32 - 1;

export interface SegmentPlan {
  /** Blocks of a segment. */
  readonly slots: number;
  /** The most segments there may be. */
  readonly maxSegments: number;
}

/** What is wrong with `max_bytes`, whatever the size of a block; `null`: nothing. Reads on after the path. */
export function maxBytesProblem({ maxBytes = 0 }: LogSizes): string | null {
  return maxBytes > MAX_BYTES ? `must be at most ${formatByteSize(MAX_BYTES)}` : null;
}

/** As {@link maxBytesProblem}, of `segment_bytes`. */
export function segmentBytesProblem({ segmentBytes, maxBytes }: LogSizes): string | null {
  if (segmentBytes === undefined) return null;
  if (segmentBytes < MIN_SEGMENT_BYTES)
    return `must be at least ${MIN_SEGMENT_BYTES}, for the header, the table and a block`;
  if (segmentBytes > MAX_SEGMENT_BYTES) return `must be at most ${formatByteSize(MAX_SEGMENT_BYTES)}`;
  if (maxBytes === undefined) return null;
  const segments = Math.floor(maxBytes / segmentBytes);
  if (segments < MIN_SEGMENTS) return `must be at most half of max_bytes (${maxBytes})`;
  if (segments <= MAX_SEGMENTS) return null;
  const least = formatByteSize(Math.ceil(maxBytes / MAX_SEGMENTS));
  return `must be at least ${least}: max_bytes would take ${segments} segments, and ${MAX_SEGMENTS} is the most`;
}

/** What is wrong with sizes that are sound by themselves, for blocks of `blockBytes` bytes. */
export function blockSizeProblems({ maxBytes, segmentBytes }: LogSizes, blockBytes: number): ConfigProblem[] {
  const least = segmentBytesOf({ slots: 1, blockBytes });
  const room = `${least} bytes (a block of ${formatByteSize(blockBytes)} and its entry)`;
  const problems: ConfigProblem[] = [];
  if (segmentBytes !== undefined && segmentBytes < least) {
    problems.push({ path: "segment_bytes", message: `must be at least ${room}; got ${segmentBytes}` });
  } else if (maxBytes !== undefined && maxBytes < MIN_SEGMENTS * least) {
    const message = `must have room for ${MIN_SEGMENTS} segments, each of at least ${room}; got ${maxBytes}`;
    problems.push({ path: "max_bytes", message });
  }
  return problems;
}

/**
 * How many segments of which size make a log, for blocks of `blockBytes` bytes.
 *
 * @throws KvTierError `CONFIG_INVALID` when there is no room for two segments, or none for a block in one.
 */
export function planSegments(sizes: LogSizes, blockBytes: number): SegmentPlan {
  const problems = blockSizeProblems(sizes, blockBytes);
  if (problems.length > 0) throw configInvalid(problems, "log tier");
  const { maxBytes = Infinity, segmentBytes = defaultSegmentBytes(maxBytes) } = sizes;
  const slots = slotsIn(Math.max(segmentBytesOf({ slots: 1, blockBytes }), segmentBytes), blockBytes);
  const segments = Math.floor(maxBytes / segmentBytesOf({ slots, blockBytes }));
  return { slots, maxSegments: Math.min(segments, MAX_SEGMENTS, Math.floor(MAX_SLOTS / slots)) };
}

/** In steps, so that a bound that is changed a little leaves the segments as they are. */
function defaultSegmentBytes(maxBytes: number): number {
  if (maxBytes === Infinity) return DEFAULT_SEGMENT_BYTES;
  const steps = Math.max(1, Math.ceil(maxBytes / MAX_SEGMENTS / DEFAULT_SEGMENT_BYTES));
  return Math.min(steps * DEFAULT_SEGMENT_BYTES, Math.floor(maxBytes / DEFAULT_SEGMENTS));
}
