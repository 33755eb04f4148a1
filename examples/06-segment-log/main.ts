// A pool over a log of segments: blocks are appended, the oldest segment makes room, and a restart finds what is left.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createTiering, KvTierError, makeOffloadKey } from "kvtier";

const BLOCK_BYTES = 64 * 1024;
const POOL_BLOCKS = 32;
const BLOCKS = 200;

const folder = await mkdtemp(path.join(tmpdir(), "kvtier-log-"));
const config = {
  cpu_bytes_to_use: POOL_BLOCKS * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "llama-3-8b", dtype: "float16", tokens_per_block: 16 },
  // Room for some 120 blocks, in segments of some 30: a restart is no loss, a full log loses its oldest quarter.
  secondary_tiers: [{ type: "log", root_dir: folder, max_bytes: "8MiB" }],
};
const keyOf = (n: number) => makeOffloadKey(n.toString(16).padStart(64, "0"));
const bytesOf = (n: number) => new Uint8Array(BLOCK_BYTES).fill(n + 1);

/** Blocks that are found, of the first `BLOCKS`, each of their bytes checked. */
async function found({ cache }: Awaited<ReturnType<typeof createTiering>>): Promise<number[]> {
  const numbers: number[] = [];
  for (let n = 0; n < BLOCKS; n++) {
    const [block] = await cache.get([keyOf(n)]);
    if (block === undefined) continue;
    if (Buffer.compare(block, bytesOf(n)) !== 0) throw new Error(`Block ${n} has a wrong byte.`);
    numbers.push(n);
  }
  return numbers;
}

const first = await createTiering(config);
for (let n = 0; n < BLOCKS; n++) {
  await first.cache.put([keyOf(n)], [bytesOf(n)]);
  await first.cache.flush();
}
const { segments, blocksHeld } = first.cache.stats().tiers[0]?.figures ?? {};
console.log(`stored ${BLOCKS} blocks; ${segments} segments hold the last ${blocksHeld}`);

// One process owns the folder. A second one is told by whom it is in use.
const refusal: unknown = await createTiering(config).then(
  ({ close }) => close(),
  (error: unknown) => error,
);
console.log(refusal instanceof Error ? refusal.message.slice(0, refusal.message.indexOf(". A log tier")) : refusal);
await first.close();

const second = await createTiering(config);
const numbers = await found(second);
console.log(`after a restart: blocks ${numbers[0]} to ${numbers.at(-1)}, every byte right`);
await second.close();

const isBounded = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".seg")).length <= 4;
await rm(folder, { recursive: true });
if (!isBounded || numbers.at(-1) !== BLOCKS - 1 || numbers.length !== blocksHeld) process.exitCode = 1;
if (!KvTierError.is(refusal, "TIER_INIT_FAILED")) process.exitCode = 1;
