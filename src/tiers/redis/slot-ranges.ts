import type { RedisAddress } from "./redis-address.js";
import { SLOTS } from "./key-slot.js";

/** Slots, both ends included, and the master that has them. */
export interface SlotRange {
  readonly first: number;
  readonly last: number;
  readonly master: RedisAddress;
}

/**
 * Reads the reply of `CLUSTER SLOTS`.
 *
 * @param host of the node that told it, for nodes that do not know their own
 * @throws Error when it is none, or has no slots
 */
export function slotRanges(reply: unknown, host: string): SlotRange[] {
  const entries: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const ranges = entries.map((entry) => rangeOf(entry, host)).filter((range) => range !== null);
  if (ranges.length === 0) throw new Error("The node tells of no slots: is it part of a cluster?");
  return ranges;
}

function rangeOf(entry: unknown, ownHost: string): SlotRange | null {
  if (!Array.isArray(entry) || !Array.isArray(entry[2])) return null;
  const [first, last] = entry as unknown[];
  const [host, port] = entry[2] as unknown[];
  if (!isSlot(first) || !isSlot(last) || typeof port !== "number") return null;
  // A node whose preferred name is not known is where this reply came from; "?" is one that has none.
  const name = typeof host === "string" && host !== "" && host !== "?" ? host : ownHost;
  return { first, last, master: { host: name, port } };
}

const isSlot = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < SLOTS;
