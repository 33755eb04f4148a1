import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// A chat service in small: conversations share a few system prompts, and each turn repeats all that was said before.
// `kvtier replay` runs it through a pool that is too small for it, with files and back-pressure behind, and checks every
// byte that comes back. Nothing is left behind.

const CONVERSATIONS = 120;
const TURNS = 6;
const SYSTEM_PROMPTS = 4;
const SYSTEM_PROMPT_BLOCKS = 12;

/** Random numbers from 0 to `below`, the same in every run (a linear congruential generator). */
let state = 2024;
/** @param {number} below */
function random(below) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
}

let lastBlock = 0;
/** @param {number} count */
const newBlocks = (count) => Array.from({ length: count }, () => ++lastBlock);

/** The requests, as lines of a trace. Turns of different conversations are mixed. */
function generateTrace() {
  const prompts = Array.from({ length: SYSTEM_PROMPTS }, () => newBlocks(SYSTEM_PROMPT_BLOCKS));
  const talks = Array.from({ length: CONVERSATIONS }, () => ({
    said: prompts[random(SYSTEM_PROMPTS)] ?? [],
    turns: TURNS,
  }));
  const lines = [];
  for (let open = talks; open.length > 0; open = talks.filter((talk) => talk.turns > 0)) {
    // Of those that are open, the first few are active.
    const talk = open[random(Math.min(24, open.length))];
    if (talk === undefined) break;
    talk.said = [...talk.said, ...newBlocks(1 + random(5))];
    talk.turns--;
    const tokens = { input_length: talk.said.length * 512, output_length: 256 };
    lines.push(JSON.stringify({ timestamp: lines.length * 100, ...tokens, hash_ids: talk.said }));
  }
  return `${lines.join("\n")}\n`;
}

/** @param {string} folder */
const configFor = (folder) => ({
  cpu_bytes_to_use: "16MiB",
  block_bytes: "64KiB",
  model: { name: "demo", dtype: "float16", tokens_per_block: 512 },
  secondary_tiers: [
    {
      type: "fs",
      root_dir: join(folder, "kv"),
      // Seconds per MiB: small blocks cost more of them than the large ones that the default marks are made for.
      backpressure: {
        backpressure_cls: "EMABackpressureDetector",
        policy_cls: "ThrottledDropPolicy",
        high_water_s: 0.05,
        low_water_s: 0.02,
      },
    },
  ],
});

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
function kvtier(args) {
  const main = fileURLToPath(new URL("../dist/bundle/cli.js", import.meta.url));
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], { stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

// The child gets Ctrl-C too, and ends; what is left to do here is to tidy up.
process.once("SIGINT", () => {});
const folder = await mkdtemp(join(tmpdir(), "kvtier-demo-"));
try {
  const trace = join(folder, "trace.jsonl");
  const config = join(folder, "config.json");
  await writeFile(trace, generateTrace());
  await writeFile(config, JSON.stringify(configFor(folder)));
  console.log(
    `${CONVERSATIONS} conversations of ${TURNS} turns, through a pool of 256 blocks of 64 KiB and the fs tier:\n`,
  );
  process.exitCode = await kvtier(["replay", trace, "--config", config]);
  console.log(process.exitCode === 0 ? "\nEvery byte was right." : "\nThe demo failed.");
} finally {
  await rm(folder, { recursive: true, force: true });
}
