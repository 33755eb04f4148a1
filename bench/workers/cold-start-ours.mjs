import { performance } from "node:perf_hooks";

/** @type {{ folder: string }} */
const { folder } = JSON.parse(process.argv[2] ?? "{}");

const start = performance.now();
const { createTiering } = await import("kvtier");
const { close } = await createTiering({
  cpu_bytes_to_use: "16MiB",
  block_bytes: "64KiB",
  model: { name: "bench", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "example" }, { type: "fs", root_dir: folder }],
});
const ms = performance.now() - start;

await close();
process.send?.(ms);
process.disconnect();
