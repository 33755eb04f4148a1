import { errorCode } from "./error-code.js";

/**
 * One block's failure is that block's alone.
 *
 * @param {() => number} fn
 * @returns {import("../disk-io.js").IoOutcome}
 */
export function attempt(fn) {
  try {
    return fn();
  } catch (error) {
    return failureOf(error);
  }
}

/**
 * @param {unknown} error
 * @returns {import("../disk-io.js").IoFailure}
 */
export function failureOf(error) {
  const message = error instanceof Error ? error.message : String(error);
  const code = errorCode(error);
  return typeof code === "string" ? { message, code } : { message };
}
