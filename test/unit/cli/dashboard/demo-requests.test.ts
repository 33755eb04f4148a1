import { describe, expect, it } from "@jest/globals";
import { demoRequests } from "../../../../src/cli/dashboard/demo-requests.js";

/** The first `count` requests. */
function requests(poolBlocks: number, count: number): (readonly number[])[] {
  const taken: (readonly number[])[] = [];
  for (const { blockIds } of demoRequests(poolBlocks)) {
    if (taken.push(blockIds) === count) break;
  }
  return taken;
}

describe("the requests of the demo", () => {
  it("are the same in every run", () => {
    expect(requests(256, 100)).toEqual(requests(256, 100));
  });

  it.each([1, 16, 256, 5000])("are of valid, different blocks, with a pool of %d", (poolBlocks) => {
    const isSound = (ids: readonly number[]): boolean =>
      ids.length > 0 && new Set(ids).size === ids.length && ids.every((id) => Number.isSafeInteger(id) && id >= 0);
    expect(requests(poolBlocks, 500).filter((ids) => !isSound(ids))).toEqual([]);
  });

  it("share prefixes: the block before another is always the same", () => {
    const before = new Map<number, number | undefined>();
    const others: number[] = [];
    for (const blockIds of requests(256, 2000)) {
      for (const [i, id] of blockIds.entries()) {
        if (before.has(id) && before.get(id) !== blockIds[i - 1]) others.push(id);
        before.set(id, blockIds[i - 1]);
      }
    }
    expect(before.size).toBeGreaterThan(256);
    expect(others).toEqual([]);
  });

  it("need more blocks than the pool has, and a bounded number of them", () => {
    const seen = new Set(requests(256, 20_000).flat());
    expect(seen.size).toBeGreaterThan(2 * 256);
    expect(seen.size).toBeLessThan(12 * 256);
  });

  it("begin at once with the largest of pools", () => {
    expect(requests(100_000_000, 1)[0]?.length).toBeLessThan(100);
  });
});
