import type { Tiering } from "../../cache/create-tiering.js";
import type { StoreTicket } from "../../cache/store-ticket.js";
import type { Clock } from "../../contracts/clock.js";
import type { OffloadKey } from "../../contracts/offload-key.js";

/** Seconds between two looks for room: the pace at which the cache polls its tiers. */
const PAUSE_S = 0.005;
/** Seconds after which slots that are still held (by I/O that hangs) are no longer waited for. */
const PATIENCE_S = 30;

/**
 * Reserves slots for `keys`, and waits for room while transfers are under way that may free some. What the pool cannot
 * hold at once is left out, from the end, so that the longest prefix is stored.
 *
 * @param pinned blocks that the request itself holds in the pool
 * @returns a ticket for as many of them as there is room for, perhaps none
 */
export async function reserveWithRoom(
  { cache, manager }: Tiering,
  clock: Clock,
  keys: readonly OffloadKey[],
  requestId: string,
  pinned: number,
): Promise<StoreTicket | null> {
  const { capacityBlocks } = cache.stats().primary;
  const fitting = keys.slice(0, capacityBlocks - pinned);
  const giveUpAt = clock.now() + PATIENCE_S;
  for (;;) {
    const ticket = cache.reserve(fitting, { requestId });
    if (ticket !== null) return ticket;
    if (!manager.hasPendingWork() || clock.now() >= giveUpAt) break;
    await new Promise<void>((resolve) => void clock.after(PAUSE_S, resolve));
  }
  const free = capacityBlocks - cache.stats().primary.busyBlocks;
  return cache.reserve(fitting.slice(0, free), { requestId });
}
