import type { OffloadKey } from "../../contracts/offload-key.js";
import type { BlockMover } from "../disk/block-mover.js";
import { CHECKSUM } from "../disk/worker/block-fault.js";
import { errorCode } from "../disk/worker/error-code.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import type { BlockCatalog, BlockPlace } from "./block-catalog.js";
import { MoveTasks } from "./move-tasks.js";
import type { Segment } from "./segment.js";
import type { SegmentRing, SlotRun } from "./segment-ring.js";
import type { MoveTask, SegmentWorkers } from "./segment-tasks.js";

type Batch = readonly Pick<BlockTransfer, "key" | "block">[];

export interface SegmentStoreParts {
  readonly ring: SegmentRing;
  readonly catalog: BlockCatalog;
  readonly mover: BlockMover<MoveTask>;
  /** Threads for what must not wait for a store. */
  readonly express: SegmentWorkers;
  /** A block was not the one that was stored. */
  readonly onChecksumFailed: (error: Error) => void;
  /** Blocks that could not be loaded were given up. */
  readonly onRemoved: (keys: readonly OffloadKey[]) => void;
}

/** Blocks in segments: stored one after the other, found by the catalog, and forgotten with the segment they are in. */
export class SegmentStore {
  readonly #parts: SegmentStoreParts;

  constructor(parts: SegmentStoreParts) {
    this.#parts = parts;
  }

  /** Stores what is not there yet. Outcome `i` belongs to block `i`. */
  async store(batch: Batch, signal: AbortSignal): Promise<TransferOutcome[]> {
    const { ring, catalog } = this.#parts;
    const outcomes = new Array<TransferOutcome>(batch.length).fill(0);
    const missing: number[] = [];
    for (let i = 0; i < batch.length; i++) {
      const transfer = batch[i];
      if (transfer !== undefined && !catalog.has(transfer.key)) missing.push(i);
    }
    const runs: Promise<void>[] = [];
    for (let done = 0; done < missing.length;) {
      const run = await ring.take(missing.length - done, signal);
      runs.push(this.#storeRun(run, batch, missing.slice(done, done + run.count), outcomes, signal));
      done += run.count;
    }
    await Promise.all(runs);
    return outcomes;
  }

  /** Loads what is there. Outcome `i` belongs to block `i`. */
  async load(batch: Batch, signal: AbortSignal): Promise<TransferOutcome[]> {
    const { catalog, mover } = this.#parts;
    const outcomes = new Array<TransferOutcome>(batch.length).fill(NOT_STORED);
    const tasks = new MoveTasks("load");
    const found: number[] = [];
    const blocks: Uint8Array[] = [];
    for (let i = 0; i < batch.length; i++) {
      const transfer = batch[i];
      const place = transfer === undefined ? null : catalog.placeOf(transfer.key);
      if (transfer === undefined || place === null) continue;
      tasks.add(place);
      found.push(i);
      blocks.push(transfer.block);
    }
    if (found.length === 0) return outcomes;
    const unpin = tasks.pin(signal);
    // What does not come in time is no hit for anybody who asks meanwhile.
    const onAbort = (): void => tasks.places.forEach((place) => catalog.drop(place));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const moved = await mover.move({ op: "load", blocks, taskOf: tasks.taskOf }, signal);
      moved.forEach((outcome, i) => (outcomes[found[i] ?? -1] = outcome));
      if (!signal.aborted) await this.#giveUp(batch, found, tasks.places, outcomes);
    } finally {
      signal.removeEventListener("abort", onAbort);
      unpin();
    }
    return outcomes;
  }

  /** Forgets these blocks, on the disk too; rejects when the disk does not let them go. */
  async remove(keys: readonly OffloadKey[]): Promise<void> {
    const places = keys.map((key) => this.#parts.catalog.placeOf(key)).filter((place) => place !== null);
    await this.#erase(places.filter((place) => this.#parts.catalog.drop(place)));
  }

  async #storeRun(
    run: SlotRun,
    batch: Batch,
    indices: readonly number[],
    outcomes: TransferOutcome[],
    signal: AbortSignal,
  ): Promise<void> {
    const { catalog, mover, ring } = this.#parts;
    const { segment, first, release } = run;
    const { epoch } = segment;
    try {
      const tasks = new MoveTasks("store");
      const moving: number[] = [];
      const blocks: Uint8Array[] = [];
      for (const index of indices) {
        const transfer = batch[index];
        const place = { segment, slot: first + moving.length };
        if (transfer === undefined || !catalog.enter(transfer.key, place)) {
          outcomes[index] = NO_KEY;
          continue;
        }
        tasks.add(place);
        moving.push(index);
        blocks.push(transfer.block);
      }
      if (blocks.length === 0) return;
      const moved = await mover.move({ op: "store", blocks, taskOf: tasks.taskOf }, signal);
      const failed: BlockPlace[] = [];
      let code: unknown;
      moved.forEach((outcome, i) => {
        const place = tasks.places[i];
        if (place === undefined) return;
        outcomes[moving[i] ?? -1] = outcome;
        if (typeof outcome !== "number") {
          failed.push(place);
          code = errorCode(outcome);
        } else if (!segment.isRetired && segment.epoch === epoch && !signal.aborted) catalog.add(place);
      });
      if (failed.length > 0 && !signal.aborted) await this.#forgetBest(failed);
      release();
      if (failed.length > 0) await ring.onStoreFailed(segment, code);
    } finally {
      release();
    }
  }

  /** A block that could not be loaded is forgotten, or everybody who asks for it would load it in vain. */
  async #giveUp(
    batch: Batch,
    found: readonly number[],
    places: readonly BlockPlace[],
    outcomes: readonly TransferOutcome[],
  ): Promise<void> {
    const lost: BlockPlace[] = [];
    const keys: OffloadKey[] = [];
    for (const [i, place] of places.entries()) {
      const index = found[i] ?? -1;
      const outcome = outcomes[index];
      const key = batch[index]?.key;
      if (!(outcome instanceof Error) || key === undefined) continue;
      lost.push(place);
      keys.push(key);
      if (errorCode(outcome) === CHECKSUM) this.#parts.onChecksumFailed(outcome);
    }
    if (lost.length === 0) return;
    this.#parts.onRemoved(keys);
    await this.#forgetBest(lost);
  }

  /** As far as the disk lets us: what fails has failed anyway, and its checksums are on guard. */
  async #forgetBest(places: readonly BlockPlace[]): Promise<void> {
    for (const place of places) this.#parts.catalog.drop(place);
    await this.#erase(places).catch(() => {});
  }

  async #erase(places: readonly BlockPlace[]): Promise<void> {
    const bySegment = new Map<Segment, number[]>();
    for (const { segment, slot } of places) {
      const slots = bySegment.get(segment);
      if (slots === undefined) bySegment.set(segment, [slot]);
      else slots.push(slot);
    }
    const erasures = Array.from(bySegment, async ([segment, slots]) => {
      const unpin = segment.pin();
      try {
        const { fd, table } = segment;
        const outcome = await this.#parts.express.run({ op: "erase", fd, table, slots });
        if (typeof outcome !== "number") throw new Error(outcome.message);
      } finally {
        unpin();
      }
    });
    const failed = (await Promise.allSettled(erasures)).find((erasure) => erasure.status === "rejected");
    if (failed !== undefined) throw failed.reason as Error;
  }
}

const NOT_STORED = new Error("The block is not stored.");
const NO_KEY = new Error("The key is malformed.");
