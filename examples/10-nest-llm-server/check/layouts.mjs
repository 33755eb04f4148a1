// Every form in which llama.cpp lays a state out, with the engine itself: flash attention on and off, K and V in f16 and in
// q8_0, one sequence and several. From each a prefix is restored into another sequence, and has to be the state it was.
import { createTiering } from "kvtier";
import { LlamaCppEngine, PrefixCache } from "kvtier/engines";
import { getLlama, LlamaLogLevel } from "node-llama-cpp";
import { promptOf } from "./prompt.mjs";
import { answerOf, largestDifference } from "./vectors.mjs";

const TOKENS_PER_BLOCK = 16;
const ANSWER_TOKENS = 4;
/** @type {Record<string, import("node-llama-cpp").LlamaContextOptions>} */
const LAYOUTS = {
  "flash attention": { flashAttention: true, sequences: 1 },
  "flash attention, 3 sequences": { flashAttention: true, sequences: 3 },
  "flash attention, q8_0": {
    flashAttention: true,
    sequences: 2,
    experimentalKvCacheKeyType: "Q8_0",
    experimentalKvCacheValueType: "Q8_0",
  },
  "no flash attention": { flashAttention: false, sequences: 1 },
  "no flash attention, 2 sequences": { flashAttention: false, sequences: 2 },
};

const llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.error });
const model = await llama.loadModel({ modelPath: process.env.MODEL ?? "models/tiny.gguf" });
const prompt = model.tokenize(promptOf(200));
const blocks = Math.floor((prompt.length - 1) / TOKENS_PER_BLOCK);
for (const [name, options] of Object.entries(LAYOUTS)) {
  const difference = await differenceFor(options);
  console.log(`${difference === 0 ? "ok" : "FAILED"} ${name}: ${difference}`);
  if (difference !== 0) process.exitCode = 1;
}
await llama.dispose();

/** @param {import("node-llama-cpp").LlamaContextOptions} options */
async function differenceFor(options) {
  const stored = await model.createContext({ ...options, contextSize: 512, threads: 1 });
  const restored = await model.createContext({ ...options, contextSize: 1024, threads: 1 });
  const sequence = stored.getSequence();
  const engine = await LlamaCppEngine.open(sequence, { model: "the same", tokensPerBlock: TOKENS_PER_BLOCK });
  const { cache, close } = await createTiering({
    cpu_bytes_to_use: 64 * engine.blockBytes,
    block_bytes: engine.blockBytes,
    model: { name: "tiny", dtype: "any", tokens_per_block: TOKENS_PER_BLOCK },
  });
  const prefixes = new PrefixCache({ cache, engine });
  await prefixes.run(sequence, prompt, async ({ tail }) => {
    await sequence.evaluateWithoutGeneratingNewTokens(tail);
    return [];
  });
  const start = blocks * TOKENS_PER_BLOCK;
  await sequence.eraseContextTokenRanges([{ start, end: sequence.nextTokenIndex }]);
  const kept = await answerOf(sequence, prompt.slice(start), ANSWER_TOKENS);

  // The last sequence: its cells are in another stream than the first one's.
  const others = Array.from({ length: options.sequences ?? 1 }, () => restored.getSequence());
  const other = others.at(-1) ?? sequence;
  const prefix = await prefixes.restore(other, prompt);
  if (prefix.usage.cachedTokens !== start) throw new Error(`${prefix.usage.cachedTokens} tokens were restored.`);
  const after = await answerOf(other, prefix.tail, ANSWER_TOKENS);
  await Promise.all([close(), stored.dispose(), restored.dispose()]);
  return largestDifference(after.vectors, kept.vectors);
}
