// Two processes' worth of caches over one Redis server: what one stores, the other finds. Start a server first:
//   redis-server --save "" --appendonly no      (or: docker run --rm -p 6379:6379 redis, or valkey/valkey)
//   REDIS_URL=redis://127.0.0.1:6379 npm run examples 08
import { createTiering, KvTierError, makeOffloadKey } from "kvtier";

const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
const BLOCK_BYTES = 256 * 1024;
const config = {
  cpu_bytes_to_use: 16 * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "llama-3-8b", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "redis", url, key_prefix: "kvtier-example:", ttl_s: 60, deadline_s: 2 }],
};
const keyOf = (n: number) => makeOffloadKey(n.toString(16).padStart(64, "0"));
const bytesOf = (n: number) => new Uint8Array(BLOCK_BYTES).fill(n + 1);
const numbers = Array.from({ length: 8 }, (_, n) => n);

try {
  const first = await createTiering(config);
  await first.cache.put(numbers.map(keyOf), numbers.map(bytesOf));
  await first.cache.flush();
  await first.close();

  const second = await createTiering(config);
  const found = await second.cache.get(numbers.map(keyOf));
  const isRight = found.every((block, n) => Buffer.compare(block, bytesOf(n)) === 0);
  console.log(
    `another cache finds ${found.length} of ${numbers.length} blocks, every byte ${isRight ? "right" : "WRONG"}`,
  );
  await second.manager.resetCache({ tiers: true });
  await second.close();
  if (!isRight || found.length !== numbers.length) process.exitCode = 1;
} catch (error) {
  // Without a server there is nothing to show, but for what the error says.
  if (!KvTierError.is(error, "TIER_INIT_FAILED") || process.env.REDIS_URL !== undefined) throw error;
  console.log(error.message);
  console.log('Start one, and run this again: redis-server --save "" --appendonly no');
}
