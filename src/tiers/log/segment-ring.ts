import { abortable } from "./abortable.js";
import type { Segment, SegmentFile } from "./segment.js";
import { SegmentSet, type SegmentSetParts } from "./segment-set.js";

/** Of a segment, the last slots of which the next one is made ready while they fill: 1 / so many. */
const AHEAD_SHARE = 8;
const DISK_FULL: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"]);

export interface SegmentRingParts extends SegmentSetParts {
  /** The most segments there may be. */
  readonly maxSegments: number;
}

/** Slots that follow each other in one segment. The segment is pinned until `release` is called. */
export interface SlotRun {
  readonly segment: Segment;
  readonly first: number;
  readonly count: number;
  readonly release: () => void;
}

/**
 * Where the next block goes. Slots are taken from the newest segment; when it is full, from a new one, and when there may
 * be no more, from the oldest, whose blocks are forgotten.
 */
export class SegmentRing {
  readonly #maxSegments: number;
  readonly #set: SegmentSet;
  #current: Segment | null = null;
  /** The preparation that is under way. */
  #preparing: Promise<void> | null = null;
  /** What must not run at the same time runs one after the other. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  /** How many segments are recycled before another one is tried for: the disk had no room for it. */
  #fullFor = 0;

  constructor(parts: SegmentRingParts) {
    this.#maxSegments = parts.maxSegments;
    this.#set = new SegmentSet(parts);
  }

  /** Oldest first. */
  get segments(): readonly Segment[] {
    return this.#set.all;
  }

  /** The segment of a slot, by the slot's number among those of all segments. */
  segmentOf(slot: number): Segment | undefined {
    return this.#set.segmentOf(slot);
  }

  /** Adds a segment of an earlier owner as the newest. */
  add(file: SegmentFile, epoch: number, table: SharedArrayBuffer): void {
    this.#set.add(file, epoch, table);
  }

  /** Goes on where an earlier owner of the folder stopped. */
  resume(): void {
    const newest = this.segments.at(-1);
    this.#current = newest !== undefined && newest.room > 0 ? newest : null;
  }

  /** Takes up to `count` slots, as many as follow each other; `null` when there is none before {@link ready}. */
  take(count: number, signal: AbortSignal): SlotRun | null {
    if (this.#set.isClosed) return null;
    if ((this.#current?.room ?? 0) === 0) this.#begin(this.segments.find(({ isEmpty }) => isEmpty) ?? null);
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
      this.#fullFor = this.segments.length;
      const isLastOne = this.segments.length === 1;
      if (segment.live > 0 || segment.isPinned || isLastOne || !this.segments.includes(segment)) return;
      this.#fullFor--;
      if (this.#current === segment) this.#current = null;
      await this.#set.discard(segment);
    });
  }

  /** Empties every segment; rejects when one cannot be, after the others were. */
  async clear(): Promise<void> {
    await this.#inTurn(async () => {
      this.#current = null;
      const failures: unknown[] = [];
      for (const segment of this.segments) {
        try {
          if (!(await this.#set.empty(segment))) throw new Error("Reads or writes of a segment do not end.");
          await this.#set.renew(segment);
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
    this.#set.close();
    const ended = await Promise.allSettled([
      ...this.segments.map(async (segment) => {
        await segment.idle();
        await end(segment);
      }),
      this.#lastTurn,
    ]);
    for (const outcome of ended) if (outcome.status === "rejected") throw outcome.reason;
  }

  #begin(segment: Segment | null): void {
    this.#current = segment;
    if (segment !== null) this.#set.moveToEnd(segment);
  }

  /** Sees to it that there is an empty segment. */
  #prepare(): Promise<void> {
    this.#preparing ??= this.#inTurn(async () => {
      if (!this.segments.some(({ isEmpty }) => isEmpty)) await this.#makeEmpty();
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
    if (this.segments.length >= this.#maxSegments) return false;
    try {
      await this.#set.grow();
      this.#fullFor = 0;
      return true;
    } catch (error) {
      this.#fullFor = this.segments.length;
      throw error;
    }
  }

  /** `false` when none can be emptied. */
  async #recycle(): Promise<boolean> {
    for (const segment of this.segments) {
      const isInUse = segment === this.#current && segment.room > 0;
      if (isInUse || segment.isStuck || !(await this.#set.empty(segment))) continue;
      await this.#set.renew(segment);
      this.#fullFor = Math.max(0, this.#fullFor - 1);
      return true;
    }
    return false;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(() => {
      this.#set.throwIfClosed();
      return work();
    });
    this.#lastTurn = turn.catch(() => {});
    return turn;
  }
}
