// Does a server that restores a prompt's state answer as one that never lost it? Starts it, twice, and asks.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promptOf } from "./prompt.mjs";
import { ServerProcess } from "./server-process.mjs";
import { largestDifference } from "./vectors.mjs";

/**
 * @typedef {import("../dist/completions/completion-reply.js").CompletionReply} CompletionReply
 * @typedef {import("./reference.mjs").Reference} Reference
 * @typedef {import("./vectors.mjs").Vectors} Vectors
 */

const ANSWER_TOKENS = 8;
const VOCABULARY = 260;
/** The block of which a byte is changed on the disk: all before it can still be used. */
const BROKEN_BLOCK = 20;

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "kvtier-llm-"));
process.chdir(folder); // the config's folder for blocks is relative
const env = {
  MODEL: path.join(here, "../models/tiny.gguf"),
  KVTIER_CONFIG: path.join(here, "../kvtier.jsonc"),
  // Several threads wait for each other by spinning, which takes for ever on a machine that is busy with something else.
  THREADS: "1",
};
const prompt = promptOf(650);
const other = promptOf(400, 1);
const asked = { prompt, max_tokens: ANSWER_TOKENS, logprobs: VOCABULARY };
/** @type {ServerProcess | undefined} */
let server;
let failures = 0;

try {
  const reference = keepInMemory();
  const { tokensPerBlock, blocks: all } = reference;

  server = await new ServerProcess(env).ready();
  const restored = await server.complete(asked);
  expect("a prompt whose blocks another process stored is restored from fs", cachedOf(restored), {
    "1:fs": all * tokensPerBlock,
  });
  expect("… and every probability is that of the state kept in memory", differenceTo(restored, reference.kept[all]), 0);
  console.log(`   to evaluating all of it: ${differenceTo(restored, reference.full).toExponential(1)} at most`);
  const streamed = await server.post({ ...asked, logprobs: 0, stream: true, stream_options: { include_usage: true } });
  expect("a stream ends with the usage", chunksOf(streamed).at(-1)?.usage?.prompt_tokens_details.by_tier, {
    "0:primary": all * tokensPerBlock,
  });
  expect(
    "… and has the same text",
    chunksOf(streamed)
      .flatMap(({ choices }) => choices)
      .map(({ text }) => text)
      .join(""),
    textOf(restored),
  );
  const first = await server.complete({ ...asked, prompt: other });
  expect("a prompt that is new is evaluated", cachedOf(first), {});
  expect("the server is well", JSON.parse(await server.get("/health")).status, "ok");
  expect("… and shows its tiers", /<title>.*kvtier/i.test(await server.get("/kvtier/")), true);
  await server.stop();

  const broken = flipByteOf(reference.keys[BROKEN_BLOCK]);
  server = await new ServerProcess(env).ready();
  const again = await server.complete({ ...asked, prompt: other });
  const otherBlocks = Math.floor(other.length / tokensPerBlock);
  expect("after a restart a prompt is restored from fs", cachedOf(again), { "1:fs": otherBlocks * tokensPerBlock });
  console.log(`   to its first answer: ${differenceTo(again, vectorsOf(first)).toExponential(1)} at most`);
  const repaired = await server.complete(asked);
  expect(`with a byte flipped in ${broken} the blocks before it are restored`, cachedOf(repaired), {
    "1:fs": BROKEN_BLOCK * tokensPerBlock,
  });
  expect("… the rest is evaluated, to the same probabilities", differenceTo(repaired, reference.kept[BROKEN_BLOCK]), 0);
  expect("… and the block is counted", await server.metric('kvtier_integrity_failures_total{tier="1:fs"}'), 1);
  const healed = await server.complete(asked);
  expect("the next time nothing is missing", cachedOf(healed), { "0:primary": all * tokensPerBlock });
  await server.stop();

  server = await new ServerProcess(env).ready();
  expect("… also not on the disk", cachedOf(await server.complete(asked)), { "1:fs": all * tokensPerBlock });
  await server.stop();
} catch (error) {
  server?.kill();
  throw error;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failures > 0) {
  console.error(`${failures} failed`);
  process.exit(1);
}

/** @returns {Reference} */
function keepInMemory() {
  const file = path.join(folder, "reference.json");
  const args = [path.join(here, "reference.mjs"), prompt, file, ANSWER_TOKENS, BROKEN_BLOCK].map(String);
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit", env: { ...process.env, ...env } });
  if (status !== 0) throw new Error(`reference.mjs ended with ${status}.`);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Changes one byte in the middle of a block's file, and nothing else. @param {string | undefined} key @returns {string} */
function flipByteOf(key = "") {
  const files = readdirSync(path.join(folder, "kv"), { recursive: true, encoding: "utf8" });
  // A key is the hex of the block's hash, and 8 digits of its group.
  const name = files.find((file) => path.basename(file).includes(key.slice(0, -8)));
  if (name === undefined) throw new Error(`No file in ${folder} is of the block ${key}.`);
  const bytes = readFileSync(path.join(folder, "kv", name));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(path.join(folder, "kv", name), bytes);
  return path.basename(name).slice(0, 8);
}

/** @param {CompletionReply} reply */
function cachedOf({ usage }) {
  const { cached_tokens, by_tier } = usage?.prompt_tokens_details ?? { cached_tokens: NaN, by_tier: {} };
  const sum = Object.values(by_tier).reduce((total, tokens) => total + tokens, 0);
  if (sum !== cached_tokens) throw new Error(`cached_tokens is ${cached_tokens}, and its parts are ${sum}.`);
  return by_tier;
}

/** @param {CompletionReply} reply @param {Vectors} [vectors] */
function differenceTo(reply, vectors = []) {
  return largestDifference(vectorsOf(reply), vectors);
}

/** @param {CompletionReply} reply @returns {Vectors} */
function vectorsOf({ choices }) {
  return [...(choices[0]?.logprobs?.top_logprobs ?? [])];
}

/** @param {CompletionReply} reply */
function textOf({ choices }) {
  return choices[0]?.text;
}

/** @param {string} events @returns {CompletionReply[]} */
function chunksOf(events) {
  const lines = events.split("\n\n").filter((event) => event !== "");
  if (lines.pop() !== "data: [DONE]") throw new Error("The stream does not end with [DONE].");
  return lines.map((line) => JSON.parse(line.slice("data: ".length)));
}

/** @param {string} what @param {unknown} found @param {unknown} wanted */
function expect(what, found, wanted) {
  const isRight = JSON.stringify(found) === JSON.stringify(wanted);
  console.log(`${isRight ? "ok" : "FAILED"} ${what}: ${JSON.stringify(found)}`);
  if (isRight) return;
  console.error(`   wanted: ${JSON.stringify(wanted)}`);
  failures++;
}
