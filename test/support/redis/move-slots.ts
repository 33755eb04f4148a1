import { keySlot } from "../../../src/tiers/redis/key-slot.js";
import type { RedisProcess } from "./redis-process.js";

/**
 * Moves every slot of a master that holds something to another, as resharding does it.
 *
 * @param halfWay called while the keys have moved and the slots have not: the old master answers `ASK`, and clients that
 * do not say `ASKING` to the new one are sent back
 */
export async function moveSlots(from: RedisProcess, to: RedisProcess, halfWay: () => Promise<void>): Promise<void> {
  const [source, target] = [await from.cli("CLUSTER", "MYID"), await to.cli("CLUSTER", "MYID")];
  const slots = [...new Set((await keysOf(from)).map(keySlot))];
  await to.script(slots.map((slot) => `CLUSTER SETSLOT ${slot} IMPORTING ${source}`));
  await from.script(slots.map((slot) => `CLUSTER SETSLOT ${slot} MIGRATING ${target}`));
  // From now on no key of these slots is new there.
  const moving = (await keysOf(from)).filter((key) => slots.includes(keySlot(key)));
  await from.script(moving.map((key) => `MIGRATE 127.0.0.1 ${to.port} ${key} 0 5000 REPLACE`));
  await halfWay();
  const handOver = slots.map((slot) => `CLUSTER SETSLOT ${slot} NODE ${target}`);
  await to.script(handOver);
  await from.script(handOver);
}

async function keysOf(node: RedisProcess): Promise<string[]> {
  return (await node.cli("KEYS", "*")).split("\n").filter((key) => key !== "");
}
