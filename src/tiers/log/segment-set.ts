import { Segment, type SegmentFile } from "./segment.js";
import type { SegmentFolder } from "./segment-folder.js";

export interface SegmentSetParts {
  readonly folder: SegmentFolder;
  /** Blocks of a segment. */
  readonly slots: number;
  /** Writes the header that empties a segment. */
  readonly format: (file: SegmentFile, epoch: number) => Promise<void>;
  /** Forgets every block of a segment. */
  readonly forget: (segment: Segment) => Promise<void>;
}

/** The segments of a log, in the order in which they were begun, and how their files are made, emptied and removed. */
export class SegmentSet {
  readonly #parts: SegmentSetParts;
  /** Oldest first. */
  #order: Segment[] = [];
  /** By `base / slots`: places that are given up are used again. */
  readonly #places: (Segment | undefined)[] = [];
  /** The highest epoch that any segment has. */
  #lastEpoch = 0;
  #isClosed = false;

  constructor(parts: SegmentSetParts) {
    this.#parts = parts;
  }

  /** Oldest first: as it is now, for the array stays as it is when segments come and go. */
  get all(): readonly Segment[] {
    return this.#order;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The segment of a slot, by the slot's number among those of all segments. */
  segmentOf(slot: number): Segment | undefined {
    return this.#places[Math.floor(slot / this.#parts.slots)];
  }

  /** Adds a segment as the newest. */
  add(file: SegmentFile, epoch: number, table?: SharedArrayBuffer): void {
    let place = this.#places.indexOf(undefined);
    if (place === -1) place = this.#places.length;
    const { slots } = this.#parts;
    const segment = new Segment({ file, slots, base: place * slots, epoch, ...(table !== undefined && { table }) });
    this.#places[place] = segment;
    this.#order = [...this.#order, segment];
    this.#lastEpoch = Math.max(this.#lastEpoch, epoch);
  }

  /** Makes one more segment, with a file of its own. */
  async grow(): Promise<void> {
    this.add(...(await this.#create()));
  }

  /** The segment is the newest from now on. */
  moveToEnd(segment: Segment): void {
    this.#order = [...this.#order.filter((other) => other !== segment), segment];
  }

  /** Forgets what is in a segment; `false` when somebody is at work on it and does not end. */
  async empty(segment: Segment): Promise<boolean> {
    segment.isRetired = true;
    await this.#parts.forget(segment);
    return segment.unpinned();
  }

  /** Makes an emptied segment one to store in. */
  async renew(segment: Segment): Promise<void> {
    const { folder, format } = this.#parts;
    const { file } = segment;
    this.throwIfClosed();
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

  /** Removes a segment that nobody is at work on, with its file. */
  async discard(segment: Segment): Promise<void> {
    this.#order = this.#order.filter((other) => other !== segment);
    this.#places[segment.base / this.#parts.slots] = undefined;
    await this.#parts.folder.discard(segment.file);
  }

  /** No segment is made or renewed, and nothing is found in any, from now on. */
  close(): void {
    this.#isClosed = true;
    for (const segment of this.#order) segment.isRetired = true;
  }

  throwIfClosed(): void {
    if (this.#isClosed) throw new Error("The log is closed.");
  }

  async #create(): Promise<[SegmentFile, epoch: number]> {
    const { folder, format } = this.#parts;
    const epoch = ++this.#lastEpoch;
    const file = await folder.create(epoch);
    try {
      await format(file, epoch);
      this.throwIfClosed();
      return [file, epoch];
    } catch (error) {
      await folder.discard(file);
      throw error;
    }
  }
}
