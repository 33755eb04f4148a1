import { describe, expect, it } from "@jest/globals";
import { LatencyHistogram } from "../../../src/metrics/latency-histogram.js";
import { PrimaryMetrics } from "../../../src/metrics/primary-metrics.js";
import { TierMetrics } from "../../../src/metrics/tier-metrics.js";

describe("LatencyHistogram", () => {
  it("is all zero before the first sample", () => {
    expect(new LatencyHistogram().summary).toEqual({ count: 0, p50: 0, p99: 0 });
  });

  it("gives percentiles in seconds, to three digits", () => {
    const histogram = new LatencyHistogram();
    for (let ms = 1; ms <= 100; ms++) histogram.record(ms / 1000);
    const { count, p50, p99 } = histogram.summary;
    expect(count).toBe(100);
    expect(p50).toBeCloseTo(0.05, 3);
    expect(p99).toBeCloseTo(0.099, 3);
  });

  it.each([0, -1, Number.NaN, Infinity, 1e-12])("takes %d for the shortest", (seconds) => {
    const histogram = new LatencyHistogram();
    histogram.record(seconds);
    expect(histogram.summary).toEqual({ count: 1, p50: 1e-9, p99: 1e-9 });
  });
});

describe("PrimaryMetrics", () => {
  it("counts the first answer for a request and key", () => {
    const metrics = new PrimaryMetrics(16);
    const record = { askedPrimary: false, allocationFailed: false };
    metrics.count(record, "hit_pending");
    metrics.count(record, "miss");
    metrics.count({ askedPrimary: false, allocationFailed: false }, "miss");
    metrics.onAllocationFailed(record);
    metrics.onAllocationFailed(record);
    expect(metrics).toMatchObject({ queries: 2, hits: 1, promotionAllocationFailures: 1 });
  });

  it("counts refusals in a row once", () => {
    const metrics = new PrimaryMetrics(16);
    const request = { storeRefused: false };
    for (const isRefused of [true, true, false, true]) metrics.countRefusal(request, isRefused);
    expect(metrics.storesRefused).toBe(2);
  });
});

describe("TierMetrics", () => {
  it("adds up what the policy dropped with what the tier did, and reading changes nothing", () => {
    const metrics = new TierMetrics();
    let pending = { stores: 2, blocks: 7 };
    const pressure = {
      stats: { active: true, detector: { ema: 1 }, reading: null },
      popStoresDropped: () => {
        const popped = pending;
        pending = { stores: 0, blocks: 0 };
        return popped;
      },
    };
    const tier = { index: 0, label: "1:x", type: "x", pressure, figures: () => ({ files: 3 }) };
    metrics.onCascade(4);
    metrics.onCascadeEnded({ blocks: 4, success: false, bytes: 0, moveS: 1, durationS: 1 }, true);
    const first = metrics.snapshot(tier);
    expect(first).toMatchObject({
      storesDropped: 3,
      blocksDropped: 11,
      droppedByPressure: { stores: 2, blocks: 7 },
      activeCascades: 0,
      cascadeFailures: 0,
      pressure: { active: true, detector: { ema: 1 } },
      figures: { files: 3 },
    });
    expect(metrics.snapshot(tier)).toEqual(first);
  });

  it("has no pressure without a detector", () => {
    const pressure = { stats: null, popStoresDropped: () => ({ stores: 0, blocks: 0 }) };
    const tier = { index: 1, label: "2:x", type: "x", pressure, figures: () => ({}) };
    expect(new TierMetrics().snapshot(tier)).toMatchObject({ label: "2:x", pressure: null, storesDropped: 0 });
  });

  it("counts what jobs moved, and how long that took, apart from how long they waited", () => {
    const metrics = new TierMetrics();
    metrics.onPromotion(4);
    metrics.onCascade(2);
    const tier = { index: 0, label: "1:x", type: "x", pressure: NO_PRESSURE, figures: () => ({}) };
    expect(metrics.snapshot(tier)).toMatchObject({ promotingBlocks: 4, cascadingBlocks: 2, activePromotions: 1 });
    metrics.onPromotionEnded({ blocks: 4, success: false, bytes: 48, moveS: 2, durationS: 5 });
    metrics.onCascadeEnded({ blocks: 2, success: true, bytes: 0, moveS: 3, durationS: 4 }, false);
    expect(metrics.snapshot(tier)).toMatchObject({
      bytesRead: 48,
      readTimeS: 2,
      promotionFailures: 1,
      readLatencyS: { count: 0 },
      bytesWritten: 0,
      // Nothing was moved: the tier held it already.
      writeTimeS: 0,
      writeLatencyS: { count: 1 },
      promotingBlocks: 0,
      cascadingBlocks: 0,
    });
  });
});

const NO_PRESSURE = { stats: null, popStoresDropped: () => ({ stores: 0, blocks: 0 }) };
