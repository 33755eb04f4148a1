import type { OffloadKey } from "../../contracts/offload-key.js";
import type { BlockMover, MoveOp } from "../disk/block-mover.js";
import { CHECKSUM } from "../shared/worker/block-fault.js";
import { errorCode } from "../disk/worker/error-code.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { asError } from "../shared/checked-io.js";
import type { BlockCatalog } from "./block-catalog.js";
import { BlockPlaces } from "./block-places.js";
import type { SegmentRing, SlotRun } from "./segment-ring.js";
import type { MoveTask, SegmentWorkers } from "./segment-tasks.js";

type Transfer = Pick<BlockTransfer, "key" | "block">;

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
  async store(batch: readonly Transfer[], signal: AbortSignal): Promise<TransferOutcome[]> {
    const { catalog, ring } = this.#parts;
    const outcomes: TransferOutcome[] = [];
    try {
      // One run at a time: the memory that threads reach has one place for each block of a batch, and each batch one.
      while (outcomes.length < batch.length) {
        signal.throwIfAborted();
        const run = ring.take(batch.length - outcomes.length, signal);
        if (run === null) await ring.ready(signal);
        else await this.#storeRun(run, batch, outcomes, signal);
      }
    } catch (error) {
      // What is stored already, stays so.
      while (outcomes.length < batch.length) outcomes.push(asError(error));
    }
    // What had to make room meanwhile, as in a small ring for the rest of its own batch, is not stored.
    return outcomes.map((outcome, i) => {
      const key = batch[i]?.key;
      return typeof outcome === "number" && key !== undefined && !catalog.has(key) ? RECYCLED : outcome;
    });
  }

  /** Loads what is there. Outcome `i` belongs to block `i`. */
  async load(batch: readonly Transfer[], signal: AbortSignal): Promise<TransferOutcome[]> {
    const { catalog } = this.#parts;
    const outcomes: TransferOutcome[] = [];
    const places = new BlockPlaces();
    const found: Transfer[] = [];
    const indices: number[] = [];
    for (const transfer of batch) {
      if (catalog.locate(transfer.key, places)) {
        indices.push(outcomes.length);
        found.push(transfer);
      }
      outcomes.push(NOT_STORED);
    }
    if (found.length === 0) return outcomes;
    const unpin = places.pin(signal);
    // What does not come in time is no hit for anybody who asks meanwhile, and is one again when the disk has answered.
    let resume = (): void => {};
    const onAbort = (): void => void (resume = catalog.suspend(places));
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const blocks = found.map(({ block }) => block);
      const moved = await this.#move("load", blocks, places, signal);
      moved.forEach((outcome, i) => (outcomes[indices[i] ?? -1] = outcome));
      if (!signal.aborted) await this.#giveUp(found, places, moved);
    } finally {
      signal.removeEventListener("abort", onAbort);
      // Before anybody may use the slots again.
      resume();
      unpin();
    }
    return outcomes;
  }

  /** Forgets these blocks, on the disk too; rejects when the disk does not let them go. */
  async remove(keys: readonly OffloadKey[]): Promise<void> {
    const places = new BlockPlaces();
    for (const key of new Set(keys)) this.#parts.catalog.locateAny(key, places);
    this.#drop(places);
    await this.#erase(places);
  }

  /** Stores the blocks of `batch` that have no outcome yet, as far as the run has slots, and gives each its outcome. */
  async #storeRun(
    run: SlotRun,
    batch: readonly Transfer[],
    outcomes: TransferOutcome[],
    signal: AbortSignal,
  ): Promise<void> {
    const { catalog, ring } = this.#parts;
    const { segment, first, count, release } = run;
    const { epoch } = segment;
    const places = new BlockPlaces();
    const keys: OffloadKey[] = [];
    const blocks: Uint8Array[] = [];
    const indices: number[] = [];
    try {
      for (let left = count; left > 0; left--) {
        const transfer = batch[outcomes.length];
        if (transfer === undefined) break;
        const slot = first + blocks.length;
        const entered = this.#enter(transfer.key, segment, slot);
        if (entered === null) {
          places.add(segment, slot);
          keys.push(transfer.key);
          blocks.push(transfer.block);
          indices.push(outcomes.length);
        }
        outcomes.push(entered ?? PENDING);
      }
      if (blocks.length < count) ring.giveBack(run, blocks.length);
      if (blocks.length === 0) return;
      const moved = await this.#move("store", blocks, places, signal);
      const failed = new BlockPlaces();
      let failure: unknown;
      for (const [i, outcome] of moved.entries()) {
        outcomes[indices[i] ?? -1] = outcome;
        const slot = first + i;
        if (typeof outcome !== "number") {
          failed.add(segment, slot);
          failure = outcome;
        } else if (!segment.isRetired && segment.epoch === epoch && !signal.aborted)
          catalog.add(segment, slot, keys[i]);
      }
      if (failed.length > 0 && !signal.aborted) await this.#erase(failed).catch(() => {});
      release();
      if (failed.length > 0) await ring.onStoreFailed(segment, errorCode(failure));
    } finally {
      release();
    }
  }

  #move(
    op: MoveOp,
    blocks: readonly Uint8Array[],
    places: BlockPlaces,
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    return this.#parts.mover.move({ op, blocks, taskOf: places.taskOf.bind(places, op) }, signal);
  }

  /** `null` when the block is to be written to the slot, else its outcome. */
  #enter(key: OffloadKey, segment: SlotRun["segment"], slot: number): TransferOutcome | null {
    try {
      return this.#parts.catalog.enter(key, segment, slot) ? null : 0;
    } catch (error) {
      return asError(error);
    }
  }

  /** A block that could not be loaded is forgotten, or everybody who asks for it would load it in vain. */
  async #giveUp(
    found: readonly Transfer[],
    { segments, slots }: BlockPlaces,
    outcomes: readonly TransferOutcome[],
  ): Promise<void> {
    const lost = new BlockPlaces();
    const keys: OffloadKey[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      if (typeof outcome === "number") continue;
      const [key, segment, slot] = [found[i]?.key, segments[i], slots[i]];
      if (key === undefined || segment === undefined || slot === undefined) continue;
      lost.add(segment, slot);
      keys.push(key);
      if (errorCode(outcome) === CHECKSUM) this.#parts.onChecksumFailed(outcome);
    }
    if (keys.length === 0) return;
    this.#drop(lost);
    this.#parts.onRemoved(keys);
    // As far as the disk lets us: what comes back after a restart fails again, or is whole.
    await this.#erase(lost).catch(() => {});
  }

  #drop({ segments, slots }: BlockPlaces): void {
    for (const [i, segment] of segments.entries()) this.#parts.catalog.drop(segment, slots[i] ?? -1);
  }

  async #erase(places: BlockPlaces): Promise<void> {
    const unpin = places.pin();
    try {
      const bySegment = new Map(places.segments.map((segment) => [segment, [] as number[]]));
      for (const [i, segment] of places.segments.entries()) bySegment.get(segment)?.push(places.slots[i] ?? -1);
      const outcomes = await Promise.all(
        Array.from(bySegment, ([{ fd, table }, slots]) =>
          this.#parts.express.run({ op: "erase", fd, table, slots }).catch(asError),
        ),
      );
      for (const outcome of outcomes) if (typeof outcome !== "number") throw new Error(outcome.message);
    } finally {
      unpin();
    }
  }
}

const NOT_STORED = new Error("The block is not stored.");
const RECYCLED = new Error("The block had to make room for others at once.");
/** Takes the place of an outcome that is still to come. */
const PENDING = new Error("The block was not moved.");
