import type { TestTiering } from "kvtier/testing";
import { keysOf } from "../unit/orchestrator/step-rig.js";

/** Stores blocks of zeros under the keys of these numbers, and waits until the tiers have them. */
export async function storeZeros({ cache }: TestTiering, ...ns: number[]): Promise<void> {
  const keys = keysOf(...ns);
  await cache.put(
    keys,
    keys.map(() => new Uint8Array(cache.blockBytes)),
  );
  await cache.flush();
}
