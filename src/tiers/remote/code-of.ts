/**
 * The `code` of an error; `undefined` when it has none. Not by its class: what Node's own modules fail with may be of
 * another realm, as under some test runners.
 */
export function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
}
