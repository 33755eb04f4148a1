import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * @import { Figure } from "./figure.mjs"
 * @import { BenchOptions } from "./bench.mjs"
 * @import { Row } from "../rows.mjs"
 */

/**
 * Runs one bench in a fresh process, so that no heap and no compiled code of another is in its way.
 *
 * @param {Row} row @param {BenchOptions} options
 * @returns {Promise<Figure[]>} rejects when the bench failed
 */
export function runRow({ id, file, nodeOptions = [] }, options) {
  const child = fork(fileURLToPath(new URL(`../${file}`, import.meta.url)), [JSON.stringify(options)], {
    execArgv: ["--no-warnings", ...nodeOptions],
    // Standard output belongs to the result of the whole run.
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  /** @type {Figure[]} */
  const figures = [];
  child.on("message", (figure) => void figures.push(/** @type {Figure} */ (figure)));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (code === 0) resolve(figures);
      else reject(new Error(`${id} failed: exit code ${code ?? signal}`));
    });
  });
}
