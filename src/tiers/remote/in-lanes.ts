/**
 * Calls `work` for each of `items`, in order, with at most `lanes` calls out at once.
 *
 * @throws what the first call fails with, once the others that are out have ended; no more are made then
 */
export async function inLanes<T>(
  items: readonly T[],
  lanes: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const entries = items.entries();
  const failures: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (const [index, item] of entries) {
      try {
        await work(item, index);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
}
