import type { OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { StoreTicket } from "./store-ticket.js";

/**
 * Copies into each slot of the tickets the block of its key, then commits. A slot that was not filled whole must never
 * be committed, so a ticket in which one cannot be is aborted, and so are those after it.
 */
export function fillAndCommit(
  tickets: readonly StoreTicket[],
  blockOf: ReadonlyMap<OffloadKey, Uint8Array | undefined>,
): void {
  try {
    for (const ticket of tickets) {
      for (const [i, key] of ticket.keys.entries()) fill(ticket.blocks[i], blockOf.get(key), key);
      ticket.commit();
    }
  } finally {
    for (const ticket of tickets) ticket[Symbol.dispose]();
  }
}

function fill(slot: Uint8Array | undefined, block: Uint8Array | undefined, key: OffloadKey): void {
  // The caller's buffer may have been resized since it was checked.
  if (slot === undefined || block?.byteLength !== slot.byteLength) {
    throw new KvTierError("INVALID_STATE", `The block for key ${key} is not the size of a block of this cache.`);
  }
  slot.set(block);
}
