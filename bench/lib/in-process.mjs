import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/**
 * Runs a script in a fresh process, and returns the one message that it sends.
 *
 * @param {string} file below `workers` @param {object} [argument] handed over as JSON
 * @returns {Promise<unknown>}
 */
export async function inProcess(file, argument = {}) {
  const path = fileURLToPath(new URL(`../workers/${file}`, import.meta.url));
  const child = fork(path, [JSON.stringify(argument)], { execArgv: ["--no-warnings"] });
  const closed = once(child, "close");
  const [message] = /** @type {unknown[]} */ (await Promise.race([once(child, "message"), closed]));
  const [code] = /** @type {unknown[]} */ (await closed);
  if (code !== 0) throw new Error(`${file} failed: exit code ${String(code)}`);
  return message;
}
