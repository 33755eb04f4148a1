import type { Medium } from "../contracts/medium.js";
import { offloadKeyHash, type OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";

/** What routers want to know of the blocks of a prompt, or of a part of it, and a key does not say. */
export interface SequenceDescription {
  /** Of the blocks, in order, as many for each. */
  readonly tokenIds: readonly number[];
  /** Hash of the engine's block before the first; absent: the first begins the prompt. */
  readonly parentHash?: Uint8Array;
  /** Hashes of the engine's blocks, as many for each block here; absent: one, that of its key. */
  readonly blockHashes?: readonly Uint8Array[];
  readonly loraId?: number;
  readonly loraName?: string;
}

/** The same of one block. */
export interface BlockDescription {
  readonly blockHashes: readonly Uint8Array[];
  readonly parentHash: Uint8Array | null;
  readonly tokenIds: readonly number[];
  /** Tokens of one of the engine's blocks. */
  readonly tokensPerHash: number;
  readonly loraId: number | null;
  readonly loraName: string | null;
}

interface Entry {
  description: BlockDescription;
  /** Where the block is. */
  readonly media: Set<Medium>;
}

/** Descriptions of blocks, each kept until its block has left the last medium it was in. */
export class BlockDescriptions {
  readonly #entries = new Map<OffloadKey, Entry>();
  readonly #capacity: number;

  /** @param capacity over it the block described first is forgotten: not every tier tells of removals */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @throws KvTierError `INVALID_STATE` when tokens or hashes cannot be as many for each block. */
  add(keys: readonly OffloadKey[], sequence: SequenceDescription): void {
    const { tokenIds, blockHashes, parentHash = null, loraId = null, loraName = null } = sequence;
    const tokens = shareOf(tokenIds.length, keys.length, "tokenIds");
    const hashes = blockHashes === undefined ? 1 : shareOf(blockHashes.length, keys.length, "blockHashes");
    const tokensPerHash = shareOf(tokens, hashes, "tokenIds");
    let parent = parentHash;
    keys.forEach((key, i) => {
      const own = blockHashes?.slice(i * hashes, (i + 1) * hashes) ?? [offloadKeyHash(key)];
      this.#set(key, {
        blockHashes: own,
        parentHash: parent,
        tokenIds: tokenIds.slice(i * tokens, (i + 1) * tokens),
        tokensPerHash,
        loraId,
        loraName,
      });
      parent = own.at(-1) ?? null;
    });
  }

  /** The block is in `medium` now. */
  stored(key: OffloadKey, medium: Medium): BlockDescription | undefined {
    const entry = this.#entries.get(key);
    entry?.media.add(medium);
    return entry?.description;
  }

  /** The block is in `medium` no more. */
  removed(key: OffloadKey, medium: Medium): BlockDescription | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    entry.media.delete(medium);
    if (entry.media.size === 0) this.#entries.delete(key);
    return entry.description;
  }

  #set(key: OffloadKey, description: BlockDescription): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      known.description = description;
      return;
    }
    this.#entries.set(key, { description, media: new Set() });
    if (this.#entries.size <= this.#capacity) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}

function shareOf(count: number, parts: number, what: string): number {
  const share = parts === 0 ? 0 : count / parts;
  if (Number.isInteger(share) && (share > 0 || parts === 0)) return share;
  throw new KvTierError("INVALID_STATE", `${count} ${what} cannot be shared equally by ${parts} blocks.`);
}
