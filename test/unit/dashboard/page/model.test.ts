import { describe, expect, it } from "@jest/globals";
import { sampleColumns } from "../../../../src/dashboard/sample-columns.js";
import type { TierSample } from "../../../../src/dashboard/sample.js";
import { CacheModel } from "../../../../src/dashboard/page/model.js";
import { createTestTiering } from "../../../../src/testing/index.js";

const QUIET: TierSample = {
  queries: 0,
  hits: 0,
  bytesRead: 0,
  bytesWritten: 0,
  blocksDropped: 0,
  failures: 0,
  queued: 0,
  reading: null,
  pressure: 0,
  breakerOpen: 0,
  stalled: 0,
};
const POOL = { queries: 10, hits: 6, evictions: 0, refused: 0, bytesLoaded: 0, bytesStored: 0, busy: 0, idle: 0 };

/** A model of one tier after these samples, one a second. */
async function modelAfter(samples: readonly Partial<TierSample>[], limit = 600): Promise<CacheModel> {
  const tiering = await createTestTiering();
  await tiering.close();
  const rows = samples.map((tier) => ({ dtS: 1, pool: POOL, tiers: [{ ...QUIET, ...tier }] }));
  const reply = { name: "m", blockBytes: 4096, stats: tiering.cache.stats(), samples: sampleColumns(rows, 1) };
  const model = new CacheModel(reply);
  model.update(reply, limit);
  return model;
}

describe("the page's model of a cache", () => {
  it("averages the flow of now over the last five seconds", async () => {
    const model = await modelAfter([
      ...Array<object>(20).fill({ bytesRead: 900 }),
      ...Array<object>(5).fill({ bytesRead: 100 }),
    ]);
    expect(model.rateNow(model.tier(0, "bytesRead"))).toBe(100);
  });

  it("has no rate, and no share, of nothing", async () => {
    const model = await modelAfter([]);
    expect(model.rateNow(model.tier(0, "bytesRead"))).toBe(0);
    expect(model.share(model.tier(0, "hits"), model.tier(0, "queries"), 60)).toBeNull();
    expect(model.hitRate).toBeNull();
  });

  it("counts hits of the pool and of tiers among what was looked up", async () => {
    expect((await modelAfter([{ queries: 4, hits: 2 }])).hitRate).toBe(0.8);
  });

  it("counts what is a minute old, and nothing older", async () => {
    const model = await modelAfter([{ blocksDropped: 5 }, ...Array<object>(59).fill({}), { blocksDropped: 2 }]);
    expect(model.sum(model.tier(0, "blocksDropped"), 60)).toBe(2);
    expect(model.sum(model.tier(0, "blocksDropped"), 61)).toBe(7);
  });

  it("keeps as many samples as it is told to", async () => {
    const model = await modelAfter(Array<object>(30).fill({ queued: 1 }), 20);
    expect(model.dtS).toHaveLength(20);
    expect(model.tier(0, "queued")).toHaveLength(20);
  });

  it.each<[string, Partial<TierSample>]>([
    ["Breaker open", { breakerOpen: 1, pressure: 1 }],
    ["Stalled", { stalled: 1, pressure: 1 }],
    ["Under pressure", { pressure: 1, blocksDropped: 3 }],
    ["Dropping stores", { blocksDropped: 3 }],
    ["OK", { pressure: null, breakerOpen: null }],
  ])("says %j of a tier first", async (text, sample) => {
    expect((await modelAfter([sample])).stateOf(0).text).toBe(text);
  });
});
