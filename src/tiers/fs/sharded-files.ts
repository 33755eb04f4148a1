import { isOffloadKey, type OffloadKey } from "../../contracts/offload-key.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { asError } from "../shared/checked-io.js";
import { blockFileOf } from "./block-file.js";
import { FsStore, type FsStoreParts } from "./fs-store.js";
import { shardOf } from "./shards.js";

type Transfer = Pick<BlockTransfer, "key" | "block">;

/** Items of one store, and where they were in the whole list. */
interface Part<T> {
  readonly store: FsStore;
  readonly items: readonly T[];
  readonly files: readonly string[];
  readonly at: readonly number[];
}

/** The stores below one or more roots as one: each key has its own, by its hash. A store that fails costs its blocks only. */
export class ShardedFiles {
  readonly #stores: readonly FsStore[];

  private constructor(stores: readonly FsStore[]) {
    this.#stores = stores;
  }

  /** Opens every store, or none: a folder that cannot be used is a mistake in the config more often than a fault. */
  static async open(parts: readonly FsStoreParts[]): Promise<ShardedFiles> {
    const outcomes = await Promise.allSettled(parts.map((part) => FsStore.open(part)));
    const files = new ShardedFiles(
      outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? outcome.value : [])),
    );
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed === undefined) return files;
    await files.close();
    throw failed.reason;
  }

  get figures(): TierFigures {
    const sum: Record<string, number> = {};
    for (const { figures } of this.#stores) {
      for (const [name, figure] of Object.entries(figures)) sum[name] = (sum[name] ?? 0) + figure;
    }
    return sum;
  }

  async has(keys: readonly OffloadKey[]): Promise<boolean[]> {
    const answers = new Array<boolean>(keys.length).fill(false);
    await this.#eachPart(keys, keys, async ({ store, files, at }) => {
      (await store.has(files)).forEach((isThere, i) => (answers[at[i] ?? 0] = isThere));
    });
    return answers;
  }

  store(batch: readonly Transfer[], signal: AbortSignal): Promise<readonly TransferOutcome[]> {
    return this.#move(batch, ({ store, files, items }) => store.store(files, blocksOf(items), signal));
  }

  load(batch: readonly Transfer[], signal: AbortSignal): Promise<readonly TransferOutcome[]> {
    return this.#move(batch, ({ store, files, items }) => store.load(files, blocksOf(items), signal));
  }

  touch(keys: readonly OffloadKey[]): void {
    for (const { store, files } of this.#partsOf(keys, keys)) store.touch(files);
  }

  async remove(keys: readonly OffloadKey[]): Promise<void> {
    await all(this.#partsOf(keys, keys).map(({ store, files }) => store.remove(files)));
  }

  async clear(): Promise<void> {
    await all(this.#stores.map((store) => store.clear()));
  }

  async close(): Promise<void> {
    await all(this.#stores.map((store) => store.close()));
  }

  async #move(
    batch: readonly Transfer[],
    move: (part: Part<Transfer>) => Promise<readonly TransferOutcome[]>,
  ): Promise<readonly TransferOutcome[]> {
    const outcomes = batch.map((): TransferOutcome => NO_FILE);
    const keys = batch.map(({ key }) => key);
    // Settles only when every part has: until then some thread may be at work on a block.
    await this.#eachPart(keys, batch, async (part) => {
      let moved: readonly TransferOutcome[];
      try {
        moved = await move(part);
      } catch (reason) {
        moved = part.at.map(() => asError(reason));
      }
      part.at.forEach((at, i) => (outcomes[at] = moved[i] ?? NO_FILE));
    });
    return outcomes;
  }

  async #eachPart<T>(
    keys: readonly OffloadKey[],
    items: readonly T[],
    work: (part: Part<T>) => Promise<void>,
  ): Promise<void> {
    await Promise.all(this.#partsOf(keys, items).map(work));
  }

  /** A key that can have no file is in none. */
  #partsOf<T>(keys: readonly OffloadKey[], items: readonly T[]): Part<T>[] {
    const parts = this.#stores.map((store) => ({ store, items: [] as T[], files: [] as string[], at: [] as number[] }));
    keys.forEach((key, i) => {
      const file = isOffloadKey(key) ? blockFileOf(key) : null;
      const part = file === null ? undefined : parts[shardOf(key, parts.length)];
      if (file === null || part === undefined) return;
      part.items.push(items[i] as T);
      part.files.push(file);
      part.at.push(i);
    });
    return parts.filter(({ at }) => at.length > 0);
  }
}

const NO_FILE = new Error("The key is malformed, or too long for a file name.");

function blocksOf(items: readonly Transfer[]): readonly Uint8Array[] {
  return items.map(({ block }) => block);
}

/** Waits for all, also when one fails. */
async function all(works: readonly Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(works)) if (outcome.status === "rejected") throw outcome.reason;
}
