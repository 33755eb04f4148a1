import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import type { SecondaryTierManager } from "../../src/contracts/secondary-tier-manager.js";
import type { SecondaryTierFactory } from "../../src/factory/secondary-tier-factory.js";
import { createTiering } from "../../src/cache/create-tiering.js";
import { hashBlocks } from "../../src/contracts/hash-blocks.js";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";
import type { RequestContext } from "../../src/contracts/request-context.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { testContainer } from "../support/tiering-container.js";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** How many of the references still lead somewhere once the event loop has turned and garbage was collected. */
async function alive(references: readonly WeakRef<object>[]): Promise<number> {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(setImmediate);
    collectGarbage();
  }
  return references.filter((reference) => reference.deref() !== undefined).length;
}

async function createAndClose(factory: SecondaryTierFactory): Promise<WeakRef<SecondaryTierManager>> {
  const backpressure = { backpressure_cls: "EMABackpressureDetector" };
  const tier = await factory.createSecondaryTier({ type: "example", backpressure });
  await factory.closeTier(tier);
  return new WeakRef(tier);
}

describe("D2: nothing is retained for what is gone", () => {
  it("keeps no tier, nor its child container, after it was closed", async () => {
    const { factory } = testContainer();
    const references: WeakRef<object>[] = [];
    for (let i = 0; i < 200; i++) references.push(await createAndClose(factory));
    // The last one may still be on the stack.
    expect(await alive(references)).toBeLessThan(2);
  });

  it("makes no container per request, and keeps none of 10,000 request contexts", async () => {
    const container = new Container();
    const tiering = await createTiering(
      {
        cpu_bytes_to_use: 128,
        block_bytes: 32,
        model: { name: "llama", dtype: "float16", tokens_per_block: 2 },
        secondary_tiers: [{ type: "example" }],
      },
      { container, logger: silentLogger },
    );
    const keys = hashBlocks([1, 2, 3, 4], 2).map((hash) => makeOffloadKey(hash));
    await tiering.cache.put(
      keys,
      keys.map(() => new Uint8Array(32)),
    );
    await tiering.cache.flush();
    const references: WeakRef<object>[] = [];
    const request = (reqId: string): WeakRef<object> => {
      const ctx: RequestContext = { reqId, kvTransferParams: {} };
      tiering.manager.onNewRequest(ctx);
      for (const key of keys) tiering.manager.lookup(key, ctx);
      tiering.manager.onRequestFinished(ctx);
      return new WeakRef(ctx);
    };
    for (let i = 0; i < 10_000; i++) references.push(request(`request-${i}`));
    tiering.manager.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
    expect(await alive(references)).toBeLessThan(2);
    await tiering.close();
  });
});
