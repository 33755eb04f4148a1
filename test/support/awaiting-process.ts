import { createTiering } from "../../src/cache/create-tiering.js";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";

/**
 * A process in which nothing but kvtier is at work: `awaiting-process.ts <tier> [<root>]` gets blocks back from a tier,
 * waits out the deadline of a block that nobody writes, and says `done`. If its event loop ran dry in between, it would
 * end with exit code 13.
 */
const [type = "example", root] = process.argv.slice(2);
const { cache, manager, close } = await createTiering({
  cpu_bytes_to_use: 4096,
  block_bytes: 1024,
  model: { name: "m", dtype: "f16", tokens_per_block: 16 },
  secondary_tiers: [root === undefined ? { type } : { type, root_dir: root }],
});
const keys = Array.from({ length: 4 }, (_, i) => makeOffloadKey(Uint8Array.of(i)));
await cache.put(
  keys,
  keys.map((_, i) => new Uint8Array(1024).fill(i)),
);
await cache.flush();
await manager.resetCache();
const blocks = await cache.get(keys);
await manager.resetCache();
const key = makeOffloadKey("ff");
cache.reserve([key]);
const lease = await cache.acquire([key], { deadlineS: 0.02 });
process.stdout.write(`${blocks.map((block) => block[0]).join()} ${lease.hits} done`);
await close();
