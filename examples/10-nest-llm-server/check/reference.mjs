// A process that keeps the state of a prompt in memory:
//   reference.mjs <prompt> <file for what it found> <tokens of an answer> <blocks>
// It stores the prompt's blocks. Then it goes back, in its own memory, to the end of the last block and to the end of as
// many blocks as were asked for, evaluates the rest again, and writes down what every token would have had: what a server
// that gets these blocks from a tier has to come to, to the last bit.
import "reflect-metadata";
import { writeFileSync } from "node:fs";
import { NestFactory } from "@nestjs/core";
import { AppModule } from "../dist/app.module.js";
import { LLAMA, PREFIXES } from "../dist/llama/tokens.js";
import { settingsFrom } from "../dist/settings.js";
import { answerOf } from "./vectors.mjs";

/**
 * @typedef {import("./vectors.mjs").Vectors} Vectors
 * @typedef {import("../dist/llama/open-llama.js").OpenLlama} OpenLlama
 * @typedef {import("kvtier/engines").PrefixCache<import("node-llama-cpp").LlamaContextSequence>} Prefixes
 * @typedef {import("node-llama-cpp").Token} Token
 *
 * @typedef {object} Reference
 * @property {string[]} keys of the prompt's blocks
 * @property {number} tokensPerBlock
 * @property {number} blocks that can be restored: the last token is always evaluated
 * @property {Vectors} full all of the prompt evaluated
 * @property {Record<string, Vectors>} kept by the number of blocks that were kept
 */

const [prompt = "", file = "", answerTokens = "", someBlocks = ""] = process.argv.slice(2);
const app = await NestFactory.createApplicationContext(AppModule.with(settingsFrom(process.env)), {
  logger: ["error"],
});
/** @type {OpenLlama} */
const { model, sequences, engine } = app.get(LLAMA);
/** @type {Prefixes} */
const prefixes = app.get(PREFIXES);
const [sequence] = sequences;
if (sequence === undefined) throw new Error("There is no sequence.");

const tokens = [/** @type {Token} */ (model.tokens.bos), ...model.tokenize(prompt)];
/** @type {Vectors} */
let full = [];
await prefixes.run(sequence, tokens, async ({ tail }) => {
  const answer = await answerOf(sequence, tail, Number(answerTokens));
  full = answer.vectors;
  return answer.tokens;
});

/** @type {Reference["kept"]} */
const kept = {};
const blocks = Math.floor((tokens.length - 1) / engine.tokensPerBlock);
for (const count of [blocks, Number(someBlocks)]) {
  const start = count * engine.tokensPerBlock;
  await sequence.eraseContextTokenRanges([{ start, end: sequence.nextTokenIndex }]);
  kept[count] = (await answerOf(sequence, tokens.slice(start), Number(answerTokens))).vectors;
}

/** @type {Reference} */
const reference = { keys: prefixes.keysOf(tokens), tokensPerBlock: engine.tokensPerBlock, blocks, full, kept };
writeFileSync(file, JSON.stringify(reference));
await app.close();
