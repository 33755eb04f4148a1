import type { MoveOp } from "../disk/block-mover.js";
import type { PlacedBatch } from "../disk/worker-memory.js";
import type { BlockPlace } from "./block-catalog.js";
import type { Segment } from "./segment.js";
import type { MoveTask, SegmentRef } from "./segment-tasks.js";

/** The tasks of one batch of blocks, as many as there are threads to share it. */
export class MoveTasks {
  readonly places: BlockPlace[] = [];
  readonly #op: MoveOp;

  constructor(op: MoveOp) {
    this.#op = op;
  }

  /** The next block of the batch is at `place`. */
  add(place: BlockPlace): void {
    this.places.push(place);
  }

  /** Pins every segment of the batch, until the returned function is called. */
  pin(signal: AbortSignal): () => void {
    const unpin = Array.from(this.#segmentsOf(this.places), (segment) => segment.pin(signal));
    return () => unpin.forEach((release) => release());
  }

  /** The task for blocks `from` to `to - 1`: slots that follow each other are one run. */
  readonly taskOf = ({ buffers, offsets }: PlacedBatch, from: number, to: number): MoveTask => {
    const places = this.places.slice(from, to);
    const segments = this.#segmentsOf(places);
    const runs: number[] = [];
    for (const [i, { segment, slot }] of places.entries()) {
      const before = places[i - 1];
      const count = runs.length - 1;
      if (before?.segment === segment && before.slot === slot - 1) runs[count] = (runs[count] ?? 0) + 1;
      else runs.push(segments.indexOf(segment), slot, 1);
    }
    return {
      op: this.#op,
      segments: segments.map(refOf),
      runs: Uint32Array.from(runs),
      buffers: buffers.slice(from, to),
      offsets: offsets.slice(from, to),
    };
  };

  #segmentsOf(places: readonly BlockPlace[]): Segment[] {
    const segments: Segment[] = [];
    for (const { segment } of places) if (!segments.includes(segment)) segments.push(segment);
    return segments;
  }
}

/** What goes to a thread: a plain object, without the state of the main thread. */
const refOf = ({ fd, table, epoch }: Segment): SegmentRef => ({ fd, table, epoch });
