// A pool of 64 blocks with a folder behind it: store a prompt's blocks, let the pool forget them, get them back.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTiering, hashBlocks, makeOffloadKey } from "kvtier";

const BLOCK_BYTES = 64 * 1024;
const TOKENS_PER_BLOCK = 16;

const folder = await mkdtemp(path.join(tmpdir(), "kvtier-quickstart-"));
const { cache, close } = await createTiering({
  cpu_bytes_to_use: 64 * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "llama-3-8b", dtype: "float16", tokens_per_block: TOKENS_PER_BLOCK },
  secondary_tiers: [{ type: "fs", root_dir: folder }],
});

/** One key per full block of the prompt. Equal keys mean equal tokens from the start of the prompt on. */
const keysOf = (tokens: number[]) => hashBlocks(tokens, TOKENS_PER_BLOCK).map((hash) => makeOffloadKey(hash));
/** Stands for the engine: what it computes for each block. */
const computed = (count: number, fill: number) =>
  Array.from({ length: count }, (_, i) => new Uint8Array(BLOCK_BYTES).fill(fill + i));

const prompt = keysOf(Array.from({ length: 32 * TOKENS_PER_BLOCK }, (_, i) => i));
const blocks = computed(prompt.length, 1);
console.log(`stored ${await cache.put(prompt, blocks)} blocks`);
await cache.flush();

// Other prompts push it out of the pool; the folder still has it.
for (let other = 1; other <= 2; other++) {
  const keys = keysOf(Array.from({ length: 32 * TOKENS_PER_BLOCK }, (_, i) => other * 100_000 + i));
  await cache.put(keys, computed(keys.length, 100));
  await cache.flush(); // blocks that are being copied to the folder cannot be pushed out
}

const lease = await cache.acquire(prompt);
const exact = lease.blocks.every((block, i) => Buffer.compare(block, blocks[i] ?? Buffer.of()) === 0);
console.log(`got back ${lease.hits} blocks from ${[...new Set(lease.sources)].join(", ")}, every byte right: ${exact}`);
lease.release();

await close();
await rm(folder, { recursive: true });
if (!exact || lease.hits !== prompt.length || !lease.sources.includes("1:fs")) process.exitCode = 1;
