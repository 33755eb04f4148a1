/**
 * Works through `items` with `count` calls in flight.
 *
 * @template T @param {IterableIterator<T>} items shared by the lanes: each item is taken once
 * @param {number} count @param {(item: T) => Promise<unknown>} work
 */
export async function inLanes(items, count, work) {
  const lane = async () => {
    for (const item of items) await work(item);
  };
  await Promise.all(Array.from({ length: count }, lane));
}
