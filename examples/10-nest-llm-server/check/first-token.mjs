// How long until the first token of an answer to a prompt of 2,048 tokens: with all of it evaluated, and with its blocks
// from each tier. Ends with 1 when blocks from the folder do not make it three times as fast. The model is larger than that
// of the server, 27 million parameters, whose prompt takes a CPU a second or two.
import "reflect-metadata";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { NestFactory } from "@nestjs/core";
import { getKvCacheToken, getTieringManagerToken } from "kvtier/nest";
import { AppModule } from "../dist/app.module.js";
import { LLAMA, PREFIXES } from "../dist/llama/tokens.js";
import { settingsFrom } from "../dist/settings.js";
import { promptOf } from "./prompt.mjs";

const PROMPT_TOKENS = 2048;
const ROUNDS = 5;
const AT_LEAST = 3;

const MODEL = ["--layers", "8", "--dim", "512", "--heads", "8", "--kv-heads", "8"];
const TIERING = {
  cpu_bytes_to_use: "256MiB",
  block_bytes: "256KiB",
  model: { name: "random-8x512", dtype: "f16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "fs", root_dir: "kv" }],
};

const folder = mkdtempSync(path.join(tmpdir(), "kvtier-llm-"));
process.chdir(folder); // the config's folder for blocks is relative
const settings = { ...settingsFrom(process.env), model: path.join(folder, "model.gguf"), tiers: "kvtier.json" };
const maker = fileURLToPath(new URL("../scripts/make-model.mjs", import.meta.url));
execFileSync(process.execPath, [maker, settings.model, ...MODEL], { stdio: "inherit" });
writeFileSync(settings.tiers, JSON.stringify(TIERING));
const app = await NestFactory.createApplicationContext(AppModule.with(settings), {
  logger: ["error"],
});
try {
  /** @type {import("../dist/llama/open-llama.js").OpenLlama} */
  const { model, sequences } = app.get(LLAMA);
  /** @type {import("kvtier/engines").PrefixCache<import("node-llama-cpp").LlamaContextSequence>} */
  const prefixes = app.get(PREFIXES);
  /** @type {import("kvtier").KvCache} */
  const cache = app.get(getKvCacheToken());
  /** @type {import("kvtier").TieringOffloadingManager} */
  const manager = app.get(getTieringManagerToken());
  const [sequence] = sequences;
  if (sequence === undefined) throw new Error("There is no sequence.");

  /** @param {number} round */
  const firstToken = async (round) => {
    const tokens = model.tokenize(promptOf(PROMPT_TOKENS, round));
    const start = performance.now();
    let ms = 0;
    const usage = await prefixes.run(sequence, tokens, async ({ tail }) => {
      const evaluation = sequence.evaluate(tail, { temperature: 0 });
      const { value } = await evaluation.next();
      ms = performance.now() - start;
      await evaluation.return();
      return value === undefined ? [] : [value];
    });
    return { ms, usage };
  };
  /** @type {Record<"evaluated" | "from fs" | "from memory", number[]>} */
  const times = { evaluated: [], "from fs": [], "from memory": [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const evaluated = await firstToken(round);
    await cache.flush();
    await manager.resetCache();
    const fromFs = await firstToken(round);
    const fromMemory = await firstToken(round);
    const cached = [evaluated, fromFs, fromMemory].map(({ usage }) => JSON.stringify(usage.cachedTokensByTier)).join();
    if (cached !== '{},{"1:fs":2032},{"0:primary":2032}') throw new Error(`Other tokens were cached: ${cached}`);
    if (round === 0) continue; // everything is slower the first time
    times.evaluated.push(evaluated.ms);
    times["from fs"].push(fromFs.ms);
    times["from memory"].push(fromMemory.ms);
  }
  const base = median(times.evaluated);
  for (const [what, ms] of Object.entries(times)) {
    console.log(`${what.padEnd(12)} ${median(ms).toFixed(1).padStart(8)} ms  ${(base / median(ms)).toFixed(1)} ×`);
  }
  if (base / median(times["from fs"]) < AT_LEAST) process.exitCode = 1;
} finally {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
}

/** @param {number[]} values */
function median(values) {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}
