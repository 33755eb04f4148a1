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
    const metrics = new PrimaryMetrics();
    const record = { askedPrimary: false, allocationFailed: false };
    metrics.count(record, "hit_pending");
    metrics.count(record, "miss");
    metrics.count({ askedPrimary: false, allocationFailed: false }, "miss");
    metrics.onAllocationFailed(record);
    metrics.onAllocationFailed(record);
    expect(metrics).toMatchObject({ queries: 2, hits: 1, promotionAllocationFailures: 1 });
  });

  it("counts refusals in a row once", () => {
    const metrics = new PrimaryMetrics();
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
      stats: { active: true, detector: { ema: 1 } },
      popStoresDropped: () => {
        const popped = pending;
        pending = { stores: 0, blocks: 0 };
        return popped;
      },
    };
    const tier = { index: 0, label: "1:x", type: "x", pressure, figures: () => ({ files: 3 }) };
    metrics.onDropped(4);
    const first = metrics.snapshot(tier);
    expect(first).toMatchObject({
      storesDropped: 3,
      blocksDropped: 11,
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
});
