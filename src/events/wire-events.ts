import { offloadKeyGroup, offloadKeyHash, type OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import type { BlockDescription, BlockDescriptions } from "./block-descriptions.js";
import type { KvEventPublisherOptions } from "./publisher-options.js";

/** An event as it is packed: by the names of its fields, or in their order behind its tag. */
export type WireEvent = Readonly<Record<string, unknown>> | readonly unknown[];

type Layout = Pick<KvEventPublisherOptions, "eventLayout" | "blockHashes">;

/** A block that nobody described: subscribers learn that it is there, and cannot index it by its tokens. */
const UNDESCRIBED = { parentHash: null, tokenIds: [], tokensPerHash: 0, loraId: null, loraName: null };

/**
 * Puts block events into the form of vLLM's `vllm/distributed/kv_events.py`: `BlockStored`, one for each described block
 * and one for each group of the others, and `BlockRemoved`, one for each group.
 */
export class WireEvents {
  readonly #descriptions: BlockDescriptions;
  readonly #isMap: boolean;
  readonly #hash: (hash: Uint8Array) => unknown;

  constructor(descriptions: BlockDescriptions, { eventLayout = "map", blockHashes = "uint64" }: Layout) {
    this.#descriptions = descriptions;
    this.#isMap = eventLayout === "map";
    this.#hash = blockHashes === "bytes" ? (hash) => hash : lastEightBytes;
  }

  /** In the order of `events`, which are to come here in the order in which they happened. */
  of(events: readonly OffloadingEvent[]): WireEvent[] {
    return events.flatMap((event) => (event.removed ? this.#removed(event) : this.#stored(event)));
  }

  #stored(event: OffloadingEvent): WireEvent[] {
    const wire: WireEvent[] = [];
    const others = new Map<number, Uint8Array[]>();
    for (const key of event.keys) {
      const description = this.#descriptions.stored(key, event.medium);
      if (description === undefined) append(others, offloadKeyGroup(key), [offloadKeyHash(key)]);
      else wire.push(this.#blockStored(event, offloadKeyGroup(key), description));
    }
    for (const [group, blockHashes] of others) {
      wire.push(this.#blockStored(event, group, { ...UNDESCRIBED, blockHashes }));
    }
    return wire;
  }

  #removed({ keys, medium, locality }: OffloadingEvent): WireEvent[] {
    const byGroup = new Map<number, Uint8Array[]>();
    for (const key of keys) append(byGroup, offloadKeyGroup(key), this.#hashesOfRemoved(key, medium));
    return [...byGroup].map(([group, blockHashes]) =>
      this.#pack("BlockRemoved", [
        ["block_hashes", blockHashes.map(this.#hash)],
        ["medium", medium],
        ["group_idx", group],
        ...(this.#isMap && locality !== undefined ? ([["locality", locality]] as const) : []),
      ]),
    );
  }

  #hashesOfRemoved(key: OffloadKey, medium: OffloadingEvent["medium"]): readonly Uint8Array[] {
    return this.#descriptions.removed(key, medium)?.blockHashes ?? [offloadKeyHash(key)];
  }

  #blockStored({ medium, locality }: OffloadingEvent, group: number, description: BlockDescription): WireEvent {
    const { blockHashes, parentHash, tokenIds, tokensPerHash, loraId, loraName } = description;
    return this.#pack("BlockStored", [
      ["block_hashes", blockHashes.map(this.#hash)],
      ["parent_block_hash", parentHash === null ? null : this.#hash(parentHash)],
      ["token_ids", tokenIds],
      ["block_size", tokensPerHash],
      ["lora_id", loraId],
      ["medium", medium],
      ["lora_name", loraName],
      // By its name it may be left out; in the order of the fields it holds a place.
      ...(this.#isMap ? [] : ([["extra_keys", null]] as const)),
      ["group_idx", group],
      // Younger than the form by order, which has no place for it.
      ...(this.#isMap && locality !== undefined ? ([["locality", locality]] as const) : []),
    ]);
  }

  #pack(tag: string, fields: readonly (readonly [string, unknown])[]): WireEvent {
    return this.#isMap ? Object.fromEntries([["type", tag], ...fields]) : [tag, ...fields.map(([, value]) => value)];
  }
}

/** As vLLM does: of the hash as one big number, the last 64 bits. */
function lastEightBytes(hash: Uint8Array): bigint {
  let number = 0n;
  for (const byte of hash.subarray(-8)) number = (number << 8n) | BigInt(byte);
  return number;
}

function append(lists: Map<number, Uint8Array[]>, group: number, hashes: readonly Uint8Array[]): void {
  const list = lists.get(group);
  if (list === undefined) lists.set(group, [...hashes]);
  else list.push(...hashes);
}
