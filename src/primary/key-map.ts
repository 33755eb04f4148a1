import type { OffloadKey } from "../contracts/offload-key.js";

/**
 * Entries up to which one `Map` is safe. V8's holds at most 2^24, and a map in which keys come and go must be able to
 * double: from half of that on, an insertion may throw.
 */
const MAX_ENTRIES_OF_ONE = 2 ** 22;
const SHARDS = 16;

/** Hex digits of the group index at the end of a key; the last digit of the block hash comes before them. */
const GROUP_DIGITS = 8;
const CODE_OF_0 = 48;
const CODE_OF_9 = 57;
const CODE_OF_A = 97;

/** From keys to small integers: one `Map`, or sixteen by a digit of the hash when there may be very many keys. */
export class KeyMap {
  readonly #first = new Map<OffloadKey, number>();
  readonly #shards: readonly Map<OffloadKey, number>[];

  constructor(expectedEntries: number) {
    const others = expectedEntries > MAX_ENTRIES_OF_ONE ? SHARDS - 1 : 0;
    this.#shards = [this.#first, ...Array.from({ length: others }, () => new Map<OffloadKey, number>())];
  }

  get(key: OffloadKey): number | undefined {
    return this.#shardOf(key).get(key);
  }

  set(key: OffloadKey, value: number): void {
    this.#shardOf(key).set(key, value);
  }

  delete(key: OffloadKey): void {
    this.#shardOf(key).delete(key);
  }

  clear(): void {
    for (const shard of this.#shards) shard.clear();
  }

  #shardOf(key: OffloadKey): Map<OffloadKey, number> {
    if (this.#shards.length === 1) return this.#first;
    const digit = key.charCodeAt(key.length - GROUP_DIGITS - 1);
    return this.#shards[digit > CODE_OF_9 ? digit - CODE_OF_A + 10 : digit - CODE_OF_0] ?? this.#first;
  }
}
