// Does a process that restores a prompt's state answer as one that kept it in memory? Each question is a process.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** @typedef {import("./ask.mjs").Asked} Asked @typedef {import("./ask.mjs").Vectors} Vectors */

const TOKENS_PER_BLOCK = 16;
const PROMPT = "The quick brown fox jumps over the lazy dog, and the dog has seen it all before. ".repeat(4);
/** The first token is not in the text; the last is always evaluated. */
const ALL_BLOCKS = Math.floor(PROMPT.length / TOKENS_PER_BLOCK);
/** The block of which a byte is changed on the disk: all before it can still be used. */
const BROKEN_BLOCK = 9;

const here = path.dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "kvtier-onnx-"));
let failures = 0;
try {
  const first = ask(0, BROKEN_BLOCK, ALL_BLOCKS);
  expect("a prompt that is new is evaluated", first.usage.cachedTokensByTier, {});

  const restored = ask();
  const cached = { "1:fs": ALL_BLOCKS * TOKENS_PER_BLOCK };
  expect("another process restores it from fs", restored.usage.cachedTokensByTier, cached);
  expect("… to the probabilities of the state kept in memory", difference(restored, first.kept[ALL_BLOCKS]), 0);
  console.log(`   to evaluating all of it at once: ${difference(restored, first.kept[0]).toExponential(1)} at most`);

  flipByteOf(first.keys[BROKEN_BLOCK]);
  const repaired = ask();
  const before = { "1:fs": BROKEN_BLOCK * TOKENS_PER_BLOCK };
  expect("with a byte flipped the blocks before it are restored", repaired.usage.cachedTokensByTier, before);
  expect("… the rest is evaluated, to the same probabilities", difference(repaired, first.kept[BROKEN_BLOCK]), 0);
  expect("… and the block is counted", repaired.checksumFailures, 1);
  expect("the next process finds it repaired", ask().usage.cachedTokensByTier, cached);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (failures > 0) process.exit(1);

/** @param {...number} steps @returns {Asked} */
function ask(...steps) {
  const file = path.join(folder, "asked.json");
  const args = [path.join(here, "models/tiny.onnx"), path.join(folder, "kv"), PROMPT, file, ...steps.map(String)];
  const { status } = spawnSync(process.execPath, [path.join(here, "ask.mjs"), ...args], { stdio: "inherit" });
  if (status !== 0) throw new Error(`ask.mjs ended with ${status}.`);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Changes one byte in the middle of a block's file, and nothing else. @param {string | undefined} key */
function flipByteOf(key = "") {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  // A key is the hex of the block's hash, and 8 digits of its group.
  const name = files.find((file) => path.basename(file).includes(key.slice(0, -8)));
  if (name === undefined) throw new Error(`No file in ${folder} is of the block ${key}.`);
  const bytes = readFileSync(path.join(folder, name));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(path.join(folder, name), bytes);
}

/** The most that an answer differs from another, over all tokens of the vocabulary. @param {Asked} asked @param {Vectors} [other] */
function difference({ vectors }, other = []) {
  if (vectors.length === 0 || vectors.length !== other.length)
    throw new Error("Answers of other lengths are compared.");
  return Math.max(
    ...vectors.flatMap((vector, place) => vector.map((p, token) => Math.abs(p - (other[place]?.[token] ?? NaN)))),
  );
}

/** @param {string} what @param {unknown} found @param {unknown} wanted */
function expect(what, found, wanted) {
  const isRight = JSON.stringify(found) === JSON.stringify(wanted);
  console.log(`${isRight ? "ok" : "FAILED"} ${what}: ${JSON.stringify(found)}`);
  if (isRight) return;
  console.error(`   wanted: ${JSON.stringify(wanted)}`);
  failures++;
}
