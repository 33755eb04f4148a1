import { inLanes } from "./in-lanes.mjs";

/** @import { Stack } from "./stack.mjs" */
/** @import { BlockRequest, Workload } from "./workload.mjs" */

const GIB = 2 ** 30;
/** Requests that are under way at once. */
const IN_FLIGHT = 8;

/**
 * 2 GiB through a stack, a half stored and then a half loaded, with nobody looking at the bytes: what the process does
 * in it is the library's doing.
 *
 * @param {Stack} stack its pool is smaller, so that what is loaded comes from the tier
 * @param {readonly BlockRequest[]} requests of {@link gibOfRequests}
 */
export async function transfer2GiB(stack, requests) {
  await storeAll(stack, requests);
  await loadAll(stack, requests);
}

/** @param {Workload} workload */
export function gibOfRequests(workload) {
  return Array.from({ length: Math.ceil(GIB / workload.bytes) }, (_, run) => workload.requests(run)).flat();
}

/** @param {Stack} stack @param {readonly BlockRequest[]} requests */
async function storeAll(stack, requests) {
  const { cache } = stack;
  for (const [i, { keys }] of requests.entries()) {
    const ticket = cache.reserve(keys);
    if (ticket?.keys.length !== keys.length) throw new Error("The pool had no room.");
    ticket.commit();
    if (i % IN_FLIGHT === IN_FLIGHT - 1) await cache.flush();
  }
  await cache.flush();
  if (stack.bytesWritten < GIB) throw new Error(`Only ${stack.bytesWritten} bytes were stored.`);
}

/** @param {Stack} stack @param {readonly BlockRequest[]} requests */
async function loadAll({ cache }, requests) {
  await inLanes(requests.values(), IN_FLIGHT, async ({ keys }) => {
    const lease = await cache.acquire(keys);
    const { hits, sources } = lease;
    lease.release();
    if (hits !== keys.length) throw new Error(`${hits} of ${keys.length} blocks were found.`);
    if (sources.includes("0:primary")) throw new Error("A block came from the pool.");
  });
}
