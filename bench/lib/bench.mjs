import { tmpdir } from "node:os";
import { keyOf, verdictOf } from "./figure.mjs";

/** @import { Figure } from "./figure.mjs" */

/**
 * What the runner hands to each bench.
 *
 * @typedef {object} BenchOptions
 * @property {string} dir folder for files; the bench makes a temporary folder of its own in it
 * @property {number} rounds of each comparison
 * @property {number[]} sizes further block sizes, in bytes
 * @property {string | null} trace path of a request trace
 */

/** @type {BenchOptions} */
export const DEFAULT_OPTIONS = { dir: tmpdir(), rounds: 7, sizes: [], trace: null };

/**
 * Runs one bench in this process. Its figures go to the runner that started the process, or, without one, to the console.
 *
 * @param {(report: (figure: Figure) => void, options: BenchOptions) => Promise<void>} run
 */
export async function bench(run) {
  const [given = "{}"] = process.argv.slice(2);
  /** @type {Partial<BenchOptions>} */
  const overrides = JSON.parse(given);
  await run(report, { ...DEFAULT_OPTIONS, ...overrides });
  process.disconnect?.();
}

/** @param {Figure} figure */
function report(figure) {
  if (process.send !== undefined) process.send(figure);
  else console.log(keyOf(figure), figure.unit, verdictOf(figure), figure.remark ?? "");
}
