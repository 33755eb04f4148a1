import { runRow } from "./run-row.mjs";

/** @import { BenchOptions } from "./bench.mjs" */
/** @import { Figure } from "./figure.mjs" */
/** @import { Row } from "../rows.mjs" */

/**
 * Runs benches one after the other. One that fails costs its own figures only.
 *
 * @param {readonly Row[]} rows @param {BenchOptions} options
 * @returns {Promise<{ figures: Figure[], failures: string[] }>}
 */
export async function runRows(rows, options) {
  /** @type {Figure[]} */
  const figures = [];
  /** @type {string[]} */
  const failures = [];
  for (const row of rows) {
    console.error(`${row.id}: ${row.title}`);
    await runRow(row, options).then(
      (measured) => void figures.push(...measured),
      (error) => void failures.push(error instanceof Error ? error.message : String(error)),
    );
  }
  return { figures, failures };
}
