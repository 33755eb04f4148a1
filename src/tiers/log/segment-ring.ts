import { abortable } from "./abortable.js";
import { Segment, type SegmentFile } from "./segment.js";
import type { SegmentFolder } from "./segment-folder.js";

/** Of a segment, the last slots of which the next one is made ready while they fill: 1 / so many. */
const AHEAD_SHARE = 8;
const DISK_FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

export interface SegmentRingParts {
  readonly folder: SegmentFolder;
  /** Blocks of a segment. */
  readonly slots: number;
  /** The most segments there may be. */
  readonly maxSegments: number;
  /** Writes the header that empties a segment. */
  readonly format: (file: SegmentFile, epoch: number) => Promise<void>;
  /** Forgets every block of a segment. */
  readonly forget: (segment: Segment) => Promise<void>;
}

/** Slots that follow each other in one segment. The segment is pinned until `release` is called. */
export interface SlotRun {
  readonly segment: Segment;
  readonly first: number;
  readonly count: number;
  readonly release: () => void;
}

/**
 * The segments in the order in which they were begun. Slots are taken from the newest; when it is full, from a new one,
 * and when there may be no more, from the oldest, whose blocks are forgotten.
 */
export class SegmentRing {
  readonly #parts: SegmentRingParts;
  /** Oldest first. */
  #order: Segment[] = [];
  /** By `base / slots`: places that are given up are used again. */
  readonly #places: (Segment | undefined)[] = [];
  /** The highest epoch that any segment has. */
  #lastEpoch = 0;
  #current: Segment | null = null;
  /** The preparation that is under way. */
  #preparing: Promise<void> | null = null;
  /** What must not run at the same time runs one after the other. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** How many segments are recycled before another one is tried for: the disk had no room for it. */
  #fullFor = 0;
  #isClosed = false;

  constructor(parts: SegmentRingParts) {
    this.#parts = parts;
  }

  /** Oldest first. */
  get segments(): readonly Segment[] {
    return this.#order;
  }

  /** The segment of a slot, by the slot's number among those of all segments. */
  segmentOf(slot: number): Segment | undefined {
    return this.#places[Math.floor(slot / this.#parts.slots)];
  }

  /** Adds a segment as the newest. */
  add(file: SegmentFile, epoch: number, table?: SharedArrayBuffer): Segment {
    let place = this.#places.indexOf(undefined);
    if (place === -1) place = this.#places.length;
    const { slots } = this.#parts;
    const segment = new Segment({ file, slots, base: place * slots, epoch, ...(table !== undefined && { table }) });
    this.#places[place] = segment;
    this.#order.push(segment);
    this.#lastEpoch = Math.max(this.#lastEpoch, epoch);
    return segment;
  }

  /** Goes on where an earlier owner of the folder stopped. */
  resume(): void {
    const newest = this.#order.at(-1);
    this.#current = newest !== undefined && newest.room > 0 ? newest : null;
  }

  /** Takes up to `count` slots, as many as follow each other; `null` when there is none before {@link ready}. */
  take(count: number, signal: AbortSignal): SlotRun | null {
    if (this.#isClosed) return null;
    if ((this.#current?.room ?? 0) === 0) this.#begin(this.#order.find((segment) => segment.isEmpty) ?? null);
    const segment = this.#current;
    if (segment === null) return null;
    const run = {
      segment,
      first: segment.next,
      count: Math.min(count, segment.room),
      release: segment.pin(signal),
    };
    segment.next += run.count;
    // Failures show when a store has to wait for it. A segment that is just full may be the last one for long.
    if (segment.room > 0 && segment.room < segment.slots / AHEAD_SHARE) this.#prepare().catch(() => {});
    return run;
  }

  /** Gives the last slots of a run back, from `count` on, if no others were taken since. */
  giveBack({ segment, first, count: taken }: SlotRun, count: number): void {
    if (segment.next === first + taken) segment.next = first + count;
  }

  /** Waits until there is a slot to take, as when the oldest segment has to be emptied first. */
  async ready(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await abortable(this.#prepare(), signal);
  }

  /**
   * A store into `segment` failed. One that the disk has no room for is given up, or it would be tried again and again, and
   * each of the others is used again before another one is made.
   */
  async onStoreFailed(segment: Segment, code: unknown): Promise<void> {
    if (!DISK_FULL.has(code)) return;
    // What was never written of it would not fit either.
    segment.next = segment.slots;
    await this.#inTurn(async () => {
      this.#fullFor = this.#order.length;
      if (segment.live > 0 || segment.isPinned || this.#order.length === 1 || !this.#order.includes(segment)) return;
      this.#fullFor--;
      await this.#discard(segment);
    });
  }

  /** Empties every segment; rejects when one cannot be, after the others were. */
  async clear(): Promise<void> {
    await this.#inTurn(async () => {
      this.#current = null;
      const failures: unknown[] = [];
      for (const segment of [...this.#order]) {
        try {
          if (!(await this.#empty(segment))) throw new Error("Reads or writes of a segment do not end.");
          await this.#renew(segment);
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    });
  }

  /**
   * Begins nothing more and lets nothing be found, from now on. Each segment is handed to `end` as soon as nobody is at
   * work on it: one that hangs keeps the others from nothing, and its file stays open, as a descriptor's number is given
   * to the next file that is opened.
   *
   * Resolves when all is ended; rejects when an `end` did.
   */
  async close(end: (segment: Segment) => Promise<void>): Promise<void> {
    this.#isClosed = true;
    const segments = [...this.#order];
    for (const segment of segments) segment.isRetired = true;
    const ended = await Promise.allSettled([
      ...segments.map(async (segment) => {
        await segment.idle();
        await end(segment);
      }),
      this.#lastTurn,
    ]);
    for (const outcome of ended) if (outcome.status === "rejected") throw outcome.reason;
  }

  #begin(segment: Segment | null): void {
    this.#current = segment;
    if (segment !== null) this.#order = [...this.#order.filter((other) => other !== segment), segment];
  }

  /** Sees to it that there is an empty segment. */
  #prepare(): Promise<void> {
    this.#preparing ??= this.#inTurn(async () => {
      if (!this.#order.some((segment) => segment.isEmpty)) await this.#makeEmpty();
    }).finally(() => (this.#preparing = null));
    return this.#preparing;
  }

  async #makeEmpty(): Promise<void> {
    let failure: unknown = new Error("Every segment is held by reads or writes that do not end.");
    const ways = [() => this.#grow(), () => this.#recycle()];
    // Where no more files can be made, those that there are must do.
    for (const way of this.#fullFor > 0 ? ways.reverse() : ways) {
      try {
        if (await way()) return;
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  /** `false` when there are as many segments as there may be. */
  async #grow(): Promise<boolean> {
    if (this.#order.length >= this.#parts.maxSegments) return false;
    try {
      this.add(...(await this.#create()));
      this.#fullFor = 0;
      return true;
    } catch (error) {
      this.#fullFor = this.#order.length;
      throw error;
    }
  }

  /** `false` when none can be emptied. */
  async #recycle(): Promise<boolean> {
    for (const segment of [...this.#order]) {
      const isInUse = segment === this.#current && segment.room > 0;
      if (isInUse || segment.isStuck || !(await this.#empty(segment))) continue;
      await this.#renew(segment);
      this.#fullFor = Math.max(0, this.#fullFor - 1);
      return true;
    }
    return false;
  }

  async #create(): Promise<[SegmentFile, epoch: number]> {
    const { folder, format } = this.#parts;
    const epoch = ++this.#lastEpoch;
    const file = await folder.create(epoch);
    try {
      await format(file, epoch);
      this.#throwIfClosed();
      return [file, epoch];
    } catch (error) {
      await folder.discard(file);
      throw error;
    }
  }

  /** `false` when somebody is at work on it and does not end. */
  async #empty(segment: Segment): Promise<boolean> {
    segment.isRetired = true;
    await this.#parts.forget(segment);
    return segment.unpinned();
  }

  /** Makes an emptied segment one to store in. */
  async #renew(segment: Segment): Promise<void> {
    const { folder, format } = this.#parts;
    const { file } = segment;
    this.#throwIfClosed();
    const unpin = segment.pin();
    try {
      if (file.isSuspect) {
        // Whoever has the old file open may still write to it, so it is left alone.
        segment.reset(...(await this.#create()));
        await folder.discard(file);
      } else {
        const epoch = ++this.#lastEpoch;
        await format(file, epoch);
        segment.reset(file, epoch);
      }
    } finally {
      unpin();
    }
  }

  async #discard(segment: Segment): Promise<void> {
    this.#order = this.#order.filter((other) => other !== segment);
    this.#places[segment.base / this.#parts.slots] = undefined;
    if (this.#current === segment) this.#current = null;
    await this.#parts.folder.discard(segment.file);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => {
      this.#throwIfClosed();
      return work();
    });
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }

  #throwIfClosed(): void {
    if (this.#isClosed) throw new Error("The log is closed.");
  }
}
