/**
 * The `code` of a system error. Not by `instanceof`: an app, or a test runner, may run kvtier in a realm of its own, with
 * errors that Node made in another.
 *
 * @param {unknown} error
 * @returns {unknown}
 */
export function errorCode(error) {
  return typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
}
