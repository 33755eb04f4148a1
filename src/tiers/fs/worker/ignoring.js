import { errorCode } from "../../disk/worker/error-code.js";

/**
 * Runs `fn`, and swallows its error if it has `code`, or any error if `code` is `undefined`.
 *
 * @param {string | undefined} code @param {() => void} fn
 */
export function ignoring(code, fn) {
  try {
    fn();
  } catch (error) {
    if (code !== undefined && errorCode(error) !== code) throw error;
  }
}
