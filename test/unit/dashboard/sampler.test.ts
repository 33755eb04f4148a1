import { describe, expect, it } from "@jest/globals";
import { dashboardSource } from "../../../src/dashboard/dashboard-source.js";
import { HISTORY_SAMPLES, SAMPLE_INTERVAL_S, Sampler } from "../../../src/dashboard/sampler.js";
import { statsReply } from "../../../src/dashboard/stats-reply.js";
import { makeOffloadKey } from "../../../src/contracts/offload-key.js";
import { createTestTiering, ManualClock, type TestTiering } from "../../../src/testing/index.js";
import { recordingLogger } from "../../support/recording-logger.js";

const BLOCK_BYTES = 4096;
const key = (n: number) => makeOffloadKey(n.toString(16).padStart(64, "0"));
const block = new Uint8Array(BLOCK_BYTES).fill(7);

async function withSampler(body: (tiering: TestTiering, sampler: Sampler) => Promise<void>): Promise<void> {
  const tiering = await createTestTiering();
  const { logger } = recordingLogger();
  const sampler = new Sampler([dashboardSource("main", tiering.container)], tiering.clock, logger);
  try {
    await body(tiering, sampler);
  } finally {
    sampler.close();
    await tiering.close();
  }
}

/** All that the page would get. */
const replyOf = (sampler: Sampler, since = 0) => statsReply(sampler, { epoch: sampler.epoch, since }, false);

describe("the sampler", () => {
  it("counts what happened since the sample before", async () => {
    await withSampler(async ({ cache, clock }, sampler) => {
      await cache.put([key(1), key(2)], [block, block]);
      await cache.flush();
      clock.advance(1);
      (await cache.acquire([key(1), key(3)])).release();
      clock.advance(1);
      clock.advance(1);
      const [main] = replyOf(sampler).caches;
      expect(main?.samples.dtS).toEqual([1, 1, 1]);
      expect(main?.samples.pool.bytesStored).toEqual([2 * BLOCK_BYTES, 0, 0]);
      expect(main?.samples.pool.queries).toEqual([0, 2, 0]);
      expect(main?.samples.pool.hits).toEqual([0, 1, 0]);
      expect(main?.samples.tiers[0]?.bytesWritten).toEqual([2 * BLOCK_BYTES, 0, 0]);
      expect(main?.samples.tiers[0]?.queries).toEqual([0, 1, 0]);
    });
  });

  it("tells pinned, idle and free slots apart", async () => {
    await withSampler(async ({ cache, clock }, sampler) => {
      await cache.put([key(1), key(2), key(3)], [block, block, block]);
      await cache.flush();
      const lease = await cache.acquire([key(1)]);
      clock.advance(1);
      lease.release();
      clock.advance(1);
      const { busy, idle } = replyOf(sampler).caches[0]?.samples.pool ?? {};
      expect(busy).toEqual([1, 0]);
      expect(idle).toEqual([2, 3]);
    });
  });

  it("says null, and no figure, for what a tier does not have", async () => {
    await withSampler(async ({ clock }, sampler) => {
      clock.advance(1);
      expect(sampler.caches[0]?.samples[0]?.tiers[0]).toMatchObject({
        reading: null,
        pressure: null,
        breakerOpen: null,
      });
    });
  });

  it("shows what a detector measures, and its marks", async () => {
    const tiering = await createTestTiering({
      cpu_bytes_to_use: 16 * BLOCK_BYTES,
      block_bytes: BLOCK_BYTES,
      model: { name: "m", dtype: "f16", tokens_per_block: 16 },
      secondary_tiers: [
        {
          type: "example",
          backpressure: {
            backpressure_cls: "EMABackpressureDetector",
            high_water_s: 0.5,
            warmup_completions: 0,
            alpha: 1,
          },
        },
      ],
    });
    const sampler = new Sampler([dashboardSource("m", tiering.container)], tiering.clock, recordingLogger().logger);
    try {
      const ticket = tiering.cache.reserve([key(1)]);
      ticket?.commit();
      await tiering.cache.flush();
      tiering.clock.advance(1);
      expect(sampler.caches[0]?.stats.tiers[0]?.pressure?.reading).toEqual({
        value: 0,
        high: 0.5,
        low: 0.001,
        unit: "s/MiB",
      });
      expect(sampler.caches[0]?.samples[0]?.tiers[0]).toMatchObject({ reading: 0, pressure: 0 });
    } finally {
      sampler.close();
      await tiering.close();
    }
  });

  it("hands out only what is new", async () => {
    await withSampler(async ({ clock }, sampler) => {
      clock.advance(3);
      const { last } = replyOf(sampler);
      expect(last).toBe(3);
      expect(replyOf(sampler, last).caches[0]?.samples).toEqual({ dtS: [], pool: {}, tiers: [{}] });
      clock.advance(2);
      expect(replyOf(sampler, last).caches[0]?.samples.dtS).toEqual([1, 1]);
    });
  });

  it.each([
    ["another run", { epoch: -1, since: 2 }],
    ["nobody", { epoch: NaN, since: NaN }],
    ["someone who counts in halves", { epoch: 0, since: 1.5 }],
  ])("hands out everything to %s", async (_, asked) => {
    await withSampler(async ({ clock }, sampler) => {
      clock.advance(3);
      expect(statsReply(sampler, asked, false).caches[0]?.samples.dtS).toEqual([1, 1, 1]);
    });
  });

  it("keeps the last ten minutes, and no more", async () => {
    await withSampler(async ({ clock }, sampler) => {
      clock.advance((HISTORY_SAMPLES + 50) * SAMPLE_INTERVAL_S);
      expect(sampler.last).toBe(HISTORY_SAMPLES + 50);
      expect(replyOf(sampler).caches[0]?.samples.dtS).toHaveLength(HISTORY_SAMPLES);
      expect(HISTORY_SAMPLES * SAMPLE_INTERVAL_S).toBe(600);
    });
  });

  it("goes on, and complains once, when a cache gives no figures for a while", async () => {
    await withSampler(async (tiering) => {
      const clock = new ManualClock();
      const { logger, lines } = recordingLogger();
      const sound = dashboardSource("main", tiering.container);
      let isBroken = false;
      const stats = () => {
        if (isBroken) throw new Error("no figures");
        return sound.stats();
      };
      const sampler = new Sampler([{ ...sound, stats }], clock, logger);
      isBroken = true;
      clock.advance(3);
      expect(sampler.last).toBe(0);
      isBroken = false;
      clock.advance(1);
      expect(sampler.caches[0]?.samples.map(({ dtS }) => dtS)).toEqual([4]);
      expect(lines.map(({ level }) => level)).toEqual(["error"]);
    });
  });

  it("leaves no timer behind when it is closed", async () => {
    await withSampler(async (tiering, sampler) => {
      const clock = new ManualClock();
      const other = new Sampler([dashboardSource("main", tiering.container)], clock, recordingLogger().logger);
      clock.advance(1);
      other.close();
      expect(clock.pendingTimers).toBe(0);
      expect(sampler.last).toBe(0);
    });
  });
});
