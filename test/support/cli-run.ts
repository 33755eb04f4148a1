import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCli } from "../../src/cli/run-cli.js";
import { systemClock } from "../../src/contracts/clock.js";

/** Folder of `broken-tiers.js`. */
export const CLI_FIXTURES = fileURLToPath(new URL("../fixtures/cli", import.meta.url));

export interface CliRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

let runs = 0;

/** Runs the `kvtier` command in this process, as in a pipe. */
export async function kvtier(...args: string[]): Promise<CliRun> {
  let out = "";
  let err = "";
  const code = await runCli(args, {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    terminal: null,
    clock: systemClock,
    uniqueId: () => `run-${++runs}`,
    variable: () => undefined,
    interrupted: () => new Promise(() => {}),
  });
  return { code, out, err };
}

/** A config of a pool of `numBlocks` blocks of 1000 bytes (no multiple of a word or a page). */
export function configOf(numBlocks: number, ...tiers: object[]): Record<string, unknown> {
  return {
    cpu_bytes_to_use: numBlocks * 1000 + 999,
    block_bytes: 1000,
    model: { name: "m", dtype: "float16", tokens_per_block: 512 },
    secondary_tiers: tiers,
  };
}

/** Out of tree, from `broken-tiers.js`; to be run with `--resolve-from CLI_FIXTURES`. */
export const brokenTier = (type: string, options: object = {}): object => ({
  type,
  module_path: "./broken-tiers.js",
  ...options,
});

/** Writes `content` (text, or a value as JSON) to `name` in `folder`; returns the path. */
export async function fileIn(folder: string, name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

/** A trace of these requests, as lines. */
export function traceOf(requests: readonly (readonly number[])[]): string {
  const lines = requests.map((ids, i) =>
    JSON.stringify({ timestamp: i, input_length: ids.length * 512, output_length: 1, hash_ids: ids }),
  );
  return `${lines.join("\n")}\n`;
}
