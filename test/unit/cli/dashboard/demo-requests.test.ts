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
    for (const blockIds of requests(poolBlocks, 500)) {
      expect(blockIds.length).toBeGreaterThan(0);
      expect(new Set(blockIds).size).toBe(blockIds.length);
      expect(blockIds.every((id) => Number.isSafeInteger(id) && id >= 0)).toBe(true);
    }
  });

  it("share prefixes: the block before another is always the same", () => {
    const before = new Map<number, number | undefined>();
    for (const blockIds of requests(256, 2000)) {
      for (const [i, id] of blockIds.entries()) {
        // The first block of a conversation follows its prompt.
        if (before.has(id)) expect(blockIds[i - 1]).toBe(before.get(id));
        before.set(id, blockIds[i - 1]);
      }
    }
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
