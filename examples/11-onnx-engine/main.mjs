// Answers a prompt, with the state of its beginning from the folder kv where an earlier run has left it there:
//   node main.mjs "The quick brown fox jumps over the lazy dog."
import { Decoder } from "./decoder.mjs";
import { openPrefixes } from "./prefixes.mjs";

const [prompt = "The quick brown fox jumps over the lazy dog. ".repeat(5)] = process.argv.slice(2);
const decoder = await Decoder.open("models/tiny.onnx");
const { prefixes, close } = await openPrefixes(decoder, "kv");
const sequence = decoder.engine.newSequence();
/** @type {number[]} */
let answer = [];
const usage = await prefixes.run(sequence, decoder.tokensOf(prompt), async ({ tail }) => {
  ({ tokens: answer } = await decoder.answer(sequence, tail, 8));
  return answer;
});
console.log(`Answer: ${answer.join(" ")}`);
console.log(`${usage.cachedTokens} of ${usage.promptTokens} tokens were restored:`, usage.cachedTokensByTier);
await close();
