// The config names a tier that kvtier has never heard of, and the module that exports it.
import { createTiering, makeOffloadKey } from "kvtier";

const BLOCK_BYTES = 4096;
const { cache, manager, close } = await createTiering(
  {
    cpu_bytes_to_use: 4 * BLOCK_BYTES,
    block_bytes: BLOCK_BYTES,
    model: { name: "tiny", dtype: "float16", tokens_per_block: 16 },
    secondary_tiers: [{ type: "AcmeTier", module_path: "./acme-kv-tier/index.js", level: 6 }],
  },
  // Installed as a package it would be `"module_path": "@acme/kv-tier"`, resolved from the working folder.
  { resolveFrom: import.meta.dirname },
);

const key = makeOffloadKey("00ff".repeat(16));
const block = new Uint8Array(BLOCK_BYTES).map((_, i) => i % 251);
await cache.put([key], [block]);
await cache.flush();
await manager.resetCache(); // the pool forgets; the tier does not

const [restored] = await cache.get([key]);
const exact = restored !== undefined && Buffer.compare(restored, block) === 0;
console.log(`restored from ${cache.stats().tiers[0]?.label}, every byte right: ${exact}`);
await close();
if (!exact) process.exitCode = 1;
