import type { SegmentRef } from "./segment-tasks.js";
import { ENTRY_BYTES } from "./worker/segment-format.js";

/** The file of a segment, open. */
export interface SegmentFile {
  readonly name: string;
  readonly fd: number;
  /** Whether a process that fell silent may have it open too: it must not be written to, but for what empties it. */
  readonly isSuspect: boolean;
}

export interface SegmentOptions {
  readonly file: SegmentFile;
  readonly slots: number;
  /** The number of its first slot, among the slots of all segments. */
  readonly base: number;
  readonly epoch: number;
  /** What was read of its entries; absent: none. */
  readonly table?: SharedArrayBuffer;
}

/** A blank table. */
export function tableOf(slots: number): SharedArrayBuffer {
  return new SharedArrayBuffer(slots * ENTRY_BYTES);
}

/** A segment that is open: its file, its table in memory, and who is at work on it. */
export class Segment implements SegmentRef {
  readonly slots: number;
  readonly base: number;
  readonly table: SharedArrayBuffer;
  /** The words of `table`. */
  readonly words: Uint32Array;
  file: SegmentFile;
  epoch: number;
  /** The slots below this one are used, or wasted. */
  next = 0;
  /** Blocks that can be found. */
  live = 0;
  /** Whether it is being emptied: nothing in it can be found any more. */
  isRetired = false;
  #pins = 0;
  #overdue = 0;
  #waiting: (() => void)[] = [];

  constructor({ file, slots, base, epoch, table = tableOf(slots) }: SegmentOptions) {
    this.file = file;
    this.slots = slots;
    this.base = base;
    this.epoch = epoch;
    this.table = table;
    this.words = new Uint32Array(this.table);
  }

  get fd(): number {
    return this.file.fd;
  }

  /** Whether blocks can be stored in it, and none was yet. */
  get isEmpty(): boolean {
    return this.next === 0 && !this.isRetired && !this.file.isSuspect;
  }

  get room(): number {
    return this.isRetired || this.file.isSuspect ? 0 : this.slots - this.next;
  }

  /** Whether somebody is at work on it. */
  get isPinned(): boolean {
    return this.#pins > 0;
  }

  /** Whether somebody is at work on it for longer than allowed, and may be for ever. */
  get isStuck(): boolean {
    return this.#overdue > 0;
  }

  /** Somebody is at work on it, until the returned function is called; once `signal` is aborted, for too long. */
  pin(signal?: AbortSignal): () => void {
    this.#pins++;
    const onAbort = (): void => {
      this.#overdue++;
      this.#wake();
    };
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
    let isPinned = true;
    return () => {
      if (!isPinned) return;
      isPinned = false;
      if (signal?.aborted === true) this.#overdue--;
      else signal?.removeEventListener("abort", onAbort);
      this.#pins--;
      this.#wake();
    };
  }

  /** Waits until nobody is at work on it: `true`, or until somebody is for too long: `false`. */
  async unpinned(): Promise<boolean> {
    while (this.isPinned && !this.isStuck) await this.#change();
    return !this.isPinned;
  }

  /** Waits until nobody is at work on it, however long that takes. */
  async idle(): Promise<void> {
    while (this.isPinned) await this.#change();
  }

  /** Blanks the table in memory, for a file that was emptied. */
  reset(file: SegmentFile, epoch: number): void {
    this.words.fill(0);
    this.file = file;
    this.epoch = epoch;
    this.next = 0;
    this.live = 0;
    this.isRetired = false;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
