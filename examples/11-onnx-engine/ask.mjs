// A process that asks once, and writes down what came of it: ask.mjs <model> <folder> <prompt> <file> [<blocks>…]
// With numbers of blocks it evaluates the prompt in steps and keeps its state, in memory, where each of these ends. From
// there it evaluates the rest again: what a process that gets these blocks from a tier has to come to, to the last bit.
import { writeFileSync } from "node:fs";
import { Decoder } from "./decoder.mjs";
import { openPrefixes } from "./prefixes.mjs";

/**
 * @typedef {number[][]} Vectors probabilities of all tokens, for each token of an answer
 *
 * @typedef {object} Asked
 * @property {import("kvtier/engines").PrefixUsage} usage
 * @property {string[]} keys of the prompt's blocks
 * @property {Vectors} vectors
 * @property {Record<string, Vectors>} kept by the number of blocks that were kept; 0: all evaluated at once
 * @property {number} checksumFailures
 */

const ANSWER_TOKENS = 8;
const [model = "", folder = "", prompt = "", file = "", ...steps] = process.argv.slice(2);
const decoder = await Decoder.open(model);
const { engine } = decoder;
const { cache, prefixes, close } = await openPrefixes(decoder, folder);
const tokens = decoder.tokensOf(prompt);
const sequence = engine.newSequence();
/** @type {Asked["kept"]} */
const kept = {};
/** @type {Vectors} */
let vectors = [];
const usage = await prefixes.run(sequence, tokens, async ({ tail }) => {
  let evaluated = tokens.length - tail.length;
  for (const step of steps) {
    const until = Number(step) * engine.tokensPerBlock;
    if (until > evaluated) await decoder.evaluate(sequence, tokens.slice(evaluated, until));
    evaluated = until;
    const copy = engine.newSequence();
    copy.replace(sequence.tokens, sequence.past);
    kept[step] = (await decoder.answer(copy, tokens.slice(evaluated), ANSWER_TOKENS)).vectors;
  }
  const answer = await decoder.answer(sequence, tokens.slice(evaluated), ANSWER_TOKENS);
  vectors = answer.vectors;
  return answer.tokens;
});
await cache.flush();
const [fs] = cache.stats().tiers;
/** @type {Asked} */
const asked = {
  usage,
  keys: prefixes.keysOf(tokens),
  vectors,
  kept,
  checksumFailures: fs?.figures.checksumFailures ?? NaN,
};
writeFileSync(file, JSON.stringify(asked));
await close();
