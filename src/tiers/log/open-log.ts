import type { Clock } from "../../contracts/clock.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { BlockMover } from "../disk/block-mover.js";
import { BlockCatalog } from "./block-catalog.js";
import { readLogState, writeLogState, type LogState } from "./log-state.js";
import { openSegments } from "./open-segments.js";
import { OwnerLock } from "./owner-lock.js";
import type { Segment, SegmentFile } from "./segment.js";
import { SegmentFolder } from "./segment-folder.js";
import { SegmentRing } from "./segment-ring.js";
import { SegmentStore } from "./segment-store.js";
import type { MoveTask, SegmentWorkers } from "./segment-tasks.js";
import { takeOwnership, type Ownership } from "./take-ownership.js";
import { segmentBytesOf, type Geometry } from "./worker/segment-format.js";

/** Blocks that the index has room for from the start, at most; for more it grows when they come. */
const MAX_RESERVED = 2 ** 22;

export interface OpenLogOptions {
  /** Real path of the folder of segments. */
  readonly folder: string;
  readonly geometry: Geometry;
  /** The most segments there may be. */
  readonly maxSegments: number;
  /** Whether blocks are stored with a checksum. */
  readonly checksum: boolean;
  readonly mover: BlockMover<MoveTask>;
  readonly express: SegmentWorkers;
  readonly clock: Clock;
  /** Another process has become the owner of the folder, or the folder is gone. */
  readonly onLost: () => void;
  /** Blocks were dropped, to make room or as damaged; `null`: nobody wants to know. */
  readonly onRemoved: ((keys: readonly OffloadKey[]) => void) | null;
  readonly onChecksumFailed: (error: Error) => void;
}

/** A folder of segments that this process owns, with all that is known of it. */
export class OpenLog {
  readonly lock: OwnerLock;
  readonly ring: SegmentRing;
  readonly catalog: BlockCatalog;
  readonly store: SegmentStore;
  readonly #options: OpenLogOptions;
  readonly #segments: SegmentFolder;
  readonly #boot: string | null;
  #hasUnchecked: boolean;

  private constructor(options: OpenLogOptions, segments: SegmentFolder, lock: OwnerLock, boot: string | null) {
    const { express, mover, onChecksumFailed, onRemoved } = options;
    this.#options = options;
    this.#segments = segments;
    this.#boot = boot;
    this.#hasUnchecked = !options.checksum;
    this.lock = lock;
    this.ring = new SegmentRing({
      folder: segments,
      slots: options.geometry.slots,
      maxSegments: options.maxSegments,
      format: (file, epoch) => this.#format(file, epoch),
      forget: async (segment) => {
        const keys: OffloadKey[] = [];
        await this.catalog.dropAll(segment, onRemoved === null ? null : (key) => void keys.push(key));
        if (keys.length > 0) onRemoved?.(keys);
      },
    });
    this.catalog = new BlockCatalog((slot) => this.ring.segmentOf(slot), onRemoved !== null);
    const { catalog, ring } = this;
    this.store = new SegmentStore({
      ring,
      catalog,
      mover,
      express,
      onChecksumFailed,
      onRemoved: (keys) => onRemoved?.(keys),
    });
  }

  /** @throws KvTierError `TIER_INIT_FAILED` when another process owns the folder. */
  static async open(options: OpenLogOptions): Promise<OpenLog> {
    const { folder, geometry, clock, onLost } = options;
    const ownership = await takeOwnership(folder);
    const lock = new OwnerLock(ownership.files, clock, onLost);
    const segments = new SegmentFolder(folder, segmentBytesOf(geometry));
    const log = new OpenLog(options, segments, lock, ownership.identity.boot);
    try {
      await log.#recover(ownership);
      return log;
    } catch (error) {
      await log.abandon();
      throw error;
    }
  }

  /**
   * Gives the folder to whoever comes next, once nobody is at work in it any more. Nothing more may be asked of this log.
   * Rejects when not all of it could be put in order, after the folder was given up.
   */
  async close(): Promise<void> {
    let isSynced = true;
    try {
      await this.ring.close(async (segment) => {
        try {
          if (!(await this.#sync(segment))) isSynced = false;
        } finally {
          await this.#segments.close(segment.file);
        }
      });
      const suspects = this.ring.segments.filter(({ file }) => file.isSuspect).map(({ file }) => file.name);
      await writeLogState(this.#options.folder, { isClosed: isSynced, boot: this.#boot, suspects });
    } finally {
      await this.lock.release();
    }
  }

  /** Lets go of a folder that is another's by now, or cannot be used. */
  async abandon(): Promise<void> {
    try {
      await this.ring.close(({ file }) => this.#segments.close(file));
    } finally {
      await this.lock.release();
    }
  }

  async #recover({ predecessor, identity }: Ownership): Promise<void> {
    const { folder, geometry, maxSegments, express } = this.#options;
    const names = await this.#segments.names();
    const state = await readLogState(folder);
    const suspects =
      predecessor === "silent" || state === null ? names : names.filter((name) => state.suspects.includes(name));
    // First of all, and through to the disk: whoever comes after a crash must not take our word for more than is true.
    await writeLogState(folder, { isClosed: false, boot: null, suspects });
    const found = await openSegments({
      folder: this.#segments,
      express,
      slots: geometry.slots,
      maxSegments,
      suspects,
      trustUnchecked: isTrusted(state, identity.boot),
    });
    this.catalog.reserve(Math.min(MAX_RESERVED, geometry.slots * Math.min(maxSegments, found.length + 1)));
    for (const { file, epoch, table, hasUnchecked } of found) {
      this.#hasUnchecked ||= hasUnchecked;
      this.ring.add(file, epoch, table);
    }
    // Oldest first, so that the newest of a key's blocks is the one that counts.
    for (const segment of this.ring.segments) await this.catalog.addAll(segment);
    this.ring.resume();
    await writeLogState(folder, { isClosed: false, boot: identity.boot, suspects });
  }

  async #format({ fd }: SegmentFile, epoch: number): Promise<void> {
    const { token } = this.lock;
    const isOwner = await this.#options.express.run({ op: "format", fd, epoch, token });
    if (typeof isOwner === "object") throw Object.assign(new Error(isOwner.message), { code: isOwner.code });
    if (isOwner) return;
    this.lock.lose();
    throw new Error("Another process has become the owner of the log.");
  }

  /** Only blocks without a checksum need it: of the others, those that a crash of the machine takes are found out. */
  async #sync({ fd }: Segment): Promise<boolean> {
    if (!this.#hasUnchecked) return true;
    return typeof (await this.#options.express.run({ op: "sync", fd })) === "number";
  }
}

function isTrusted(state: LogState | null, boot: string | null): boolean {
  return state !== null && (state.isClosed || (boot !== null && state.boot === boot));
}
