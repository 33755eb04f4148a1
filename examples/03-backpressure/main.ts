// A tier that cannot keep up: the detector sees it, the policy drops stores, and requests go on at their own speed.
import { setTimeout as sleep } from "node:timers/promises";
import { createTiering, ExampleTier, makeOffloadKey, Medium, SecondaryTier, type OffloadKey } from "kvtier";

@SecondaryTier("slow", { medium: Medium.Storage })
class SlowTier extends ExampleTier {
  override async write(key: OffloadKey, block: Uint8Array): Promise<void> {
    await sleep(20);
    await super.write(key, block);
  }
}

const BLOCK_BYTES = 256 * 1024;
const { cache, close } = await createTiering(
  {
    cpu_bytes_to_use: "32MiB",
    block_bytes: BLOCK_BYTES,
    model: { name: "tiny", dtype: "float16", tokens_per_block: 16 },
    secondary_tiers: [
      {
        type: "slow",
        backpressure: {
          backpressure_cls: "EMABackpressureDetector",
          high_water_s: 0.02, // seconds per MiB; the tier takes about 0.08
          low_water_s: 0.01,
          policy_cls: "ThrottledDropPolicy",
          policy: { ramp_factor: 1 },
        },
      },
    ],
  },
  { tiers: [SlowTier] },
);

const block = new Uint8Array(BLOCK_BYTES).fill(7);
for (let i = 0; i < 60; i++) {
  await cache.put([makeOffloadKey(i.toString(16).padStart(64, "0"))], [block]);
  await sleep(5);
}
await cache.flush();

const [tier] = cache.stats().tiers;
console.log(`stores dropped under pressure: ${tier?.storesDropped} of 60`);
console.log(`detector: ${JSON.stringify(tier?.pressure)}`);
await close();
if (!tier || tier.storesDropped === 0 || tier.storesDropped === 60) process.exitCode = 1;
