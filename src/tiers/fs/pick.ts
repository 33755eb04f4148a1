/** The items at these indices, which are in order and each there once. */
export function pick<T>(items: readonly T[], at: readonly number[]): readonly T[] {
  return at.length === items.length ? items : at.map((i) => items[i] as T);
}
