import type { MoveOp } from "../disk/block-mover.js";
import type { PlacedBatch } from "../disk/worker-memory.js";
import type { Segment } from "./segment.js";
import type { MoveTask, SegmentRef } from "./segment-tasks.js";

/** Where each block of a batch is: two arrays instead of one of objects, as this is done for every block that moves. */
export class BlockPlaces {
  readonly segments: Segment[] = [];
  /** Of each block, the slot in its segment. */
  readonly slots: number[] = [];

  get length(): number {
    return this.slots.length;
  }

  /** The next block of the batch. */
  add(segment: Segment, slot: number): void {
    this.segments.push(segment);
    this.slots.push(slot);
  }

  /** Pins every segment of the batch, until the returned function is called. */
  pin(signal?: AbortSignal): () => void {
    const unpin = distinct(this.segments).map((segment) => segment.pin(signal));
    return () => unpin.forEach((release) => release());
  }

  /** The task that moves blocks `from` to `to - 1`, which lie at `placed`: slots that follow each other are one run. */
  taskOf(op: MoveOp, { buffers, offsets }: PlacedBatch, from: number, to: number): MoveTask {
    const segments = distinct(this.segments.slice(from, to));
    const runs: number[] = [];
    for (let i = from; i < to; i++) {
      const segment = this.segments[i];
      const slot = this.slots[i];
      if (segment === undefined || slot === undefined) break;
      if (i > from && segment === this.segments[i - 1] && slot - 1 === this.slots[i - 1]) {
        runs.push((runs.pop() ?? 0) + 1);
      } else {
        runs.push(segments.indexOf(segment), slot, 1);
      }
    }
    return {
      op,
      segments: segments.map(refOf),
      runs: Uint32Array.from(runs),
      buffers: from === 0 && to === buffers.length ? buffers : buffers.slice(from, to),
      offsets: from === 0 && to === offsets.length ? offsets : offsets.slice(from, to),
    };
  }
}

/** Of a few segments, each once. */
function distinct(segments: readonly Segment[]): Segment[] {
  const found: Segment[] = [];
  let last: Segment | null = null;
  for (const segment of segments) {
    if (segment !== last && !found.includes(segment)) found.push(segment);
    last = segment;
  }
  return found;
}

/** What goes to a thread: a plain object, without the state of the main thread. */
const refOf = ({ fd, table, epoch }: Segment): SegmentRef => ({ fd, table, epoch });
