/**
 * Where `actual` is not `expected`, in one sentence; `null` when it is. Given to a runner, two different blocks would
 * fill the screen with a line for each byte.
 *
 * @param actual as long as `expected`
 * @param hint a question about the likely cause
 */
export function byteFault(what: string, actual: Uint8Array, expected: Uint8Array, hint?: string): string | null {
  const first = expected.findIndex((byte, i) => actual[i] !== byte);
  if (first === -1) return null;
  const count = expected.reduce((sum, byte, i) => sum + Number(actual[i] !== byte), 0);
  const where = `${what}: byte ${first} is ${actual[first]}, not ${expected[first]}`;
  return `${where} (${count} of ${expected.length} differ)${hint === undefined ? "" : `; ${hint}`}`;
}
