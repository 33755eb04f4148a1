import { afterEach, describe, expect, it } from "@jest/globals";
import { registerKvTierMetrics } from "kvtier/prometheus";
import { createTestTiering, type TestTiering } from "kvtier/testing";
import { Gauge, Registry, type OpenMetricsContentType } from "prom-client";
import { scrape, seriesOf } from "../../support/scrape.js";
import { keysOf } from "../orchestrator/step-rig.js";

const BLOCK_BYTES = 1024;
const PRESSURED = { type: "example", backpressure: { backpressure_cls: "EMABackpressureDetector" } };

const open: TestTiering[] = [];

async function cacheOf(...tiers: { type: string; [option: string]: unknown }[]): Promise<TestTiering> {
  const tiering = await createTestTiering({
    cpu_bytes_to_use: 8 * BLOCK_BYTES,
    block_bytes: BLOCK_BYTES,
    model: { name: "m", dtype: "f16", tokens_per_block: 16 },
    secondary_tiers: tiers,
  });
  open.push(tiering);
  return tiering;
}

/** Stores blocks, drops them from the pool and reads them back from the tier. */
async function roundTrip({ cache, manager }: TestTiering, ...ns: number[]): Promise<void> {
  const keys = keysOf(...ns);
  await cache.put(
    keys,
    keys.map(() => new Uint8Array(BLOCK_BYTES)),
  );
  await cache.flush();
  await manager.resetCache();
  expect(await cache.get(keys)).toHaveLength(ns.length);
}

afterEach(async () => {
  for (const tiering of open.splice(0)) await tiering.close();
});

describe("registerKvTierMetrics", () => {
  it("has every series at 0 before anything happened", async () => {
    const registry = new Registry();
    registerKvTierMetrics(registry, (await cacheOf({ type: "example" }, PRESSURED)).manager);
    const series = await scrape(registry);
    expect([...series].filter(([, value]) => value !== 0)).toEqual([]);
    const names = [...series.keys()];
    for (const tier of ["0:primary", "1:example", "2:example"]) {
      expect(names).toContain(`kvtier_chunk_queries_total{tier="${tier}"}`);
      expect(names).toContain(`kvtier_chunk_hits_total{tier="${tier}"}`);
      expect(names).toContain(`kvtier_lookup_sync_delay_seconds_count{tier="${tier}"}`);
    }
    expect(names).toContain(`kvtier_read_bytes_total{tier="1:example"}`);
    expect(names).toContain(`kvtier_backpressure_stores_dropped_total{tier="2:example"}`);
    expect(names).toContain("kvtier_promotion_allocation_failures_total");
    expect(names).toContain("kvtier_load_bytes_total");
  });

  it("tells what the cache has counted", async () => {
    const registry = new Registry();
    const tiering = await cacheOf({ type: "example" });
    registerKvTierMetrics(registry, tiering.manager);
    await roundTrip(tiering, 1, 2, 3);
    const series = Object.fromEntries(await scrape(registry));
    expect(series).toMatchObject({
      'kvtier_chunk_queries_total{tier="0:primary"}': 3,
      'kvtier_chunk_hits_total{tier="0:primary"}': 0,
      'kvtier_chunk_queries_total{tier="1:example"}': 3,
      'kvtier_chunk_hits_total{tier="1:example"}': 3,
      'kvtier_read_bytes_total{tier="1:example"}': 3 * BLOCK_BYTES,
      'kvtier_write_bytes_total{tier="1:example"}': 3 * BLOCK_BYTES,
      'kvtier_promotion_job_failures_total{tier="1:example"}': 0,
      kvtier_load_bytes_total: 3 * BLOCK_BYTES,
      kvtier_store_bytes_total: 3 * BLOCK_BYTES,
      kvtier_load_size_sum: 3 * BLOCK_BYTES,
      'kvtier_store_size_bucket{le="1000000"}': 1,
      'kvtier_cpu_allocation_size_bucket{le="1"}': 0,
      'kvtier_cpu_allocation_size_bucket{le="4"}': 1,
      kvtier_cpu_cache_usage_perc: 3 / 8,
      'kvtier_queue_depth{tier="1:example",queue="load"}': 0,
    });
    expect(series['kvtier_lookup_sync_delay_seconds_bucket{le="+Inf",tier="1:example"}']).toBeGreaterThanOrEqual(3);
    expect(series['kvtier_lookup_async_delay_seconds_count{tier="1:example"}']).toBe(3);
  });

  it("changes nothing by being read", async () => {
    const registry = new Registry();
    const tiering = await cacheOf({ type: "example" });
    registerKvTierMetrics(registry, tiering.manager);
    await roundTrip(tiering, 1, 2);
    const before = tiering.manager.getStats();
    const first = await registry.metrics();
    expect(await registry.metrics()).toBe(first);
    expect(await registry.getMetricsAsJSON()).toEqual(await registry.getMetricsAsJSON());
    expect(tiering.manager.getStats()).toEqual(before);
  });

  it("has the metrics of backpressure only where a tier is configured for it", async () => {
    const [without, withOne] = [new Registry(), new Registry()];
    registerKvTierMetrics(without, (await cacheOf({ type: "example" })).manager);
    registerKvTierMetrics(withOne, (await cacheOf({ type: "example" }, PRESSURED)).manager);
    expect(await without.metrics()).not.toContain("backpressure");
    expect(await seriesOf(withOne, "kvtier_backpressure_store_latency_ema")).toEqual({
      'kvtier_backpressure_store_latency_ema{tier="2:example"}': 0,
    });
    expect(await seriesOf(withOne, "kvtier_backpressure_active")).toEqual({
      'kvtier_backpressure_active{tier="2:example"}': 0,
    });
  });

  it("has the names of vLLM with its prefix, which those of the pool have without the middle", async () => {
    const registry = new Registry();
    registerKvTierMetrics(registry, (await cacheOf({ type: "example" })).manager, {
      prefix: "vllm:kv_offload_tiering_",
    });
    const names = registry.getMetricsAsArray().map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "vllm:kv_offload_tiering_chunk_queries_total",
        "vllm:kv_offload_tiering_lookup_async_delay_seconds",
        "vllm:kv_offload_tiering_primary_write_usage_perc",
        "vllm:kv_offload_cpu_cache_usage_perc",
        "vllm:kv_offload_cpu_allocation_size",
        "vllm:kv_offload_load_bytes_total",
      ]),
    );
    expect(names.filter((name) => !name.startsWith("vllm:kv_offload_"))).toEqual([]);
  });

  it("tells caches in one registry apart, by their labels or by a number", async () => {
    const registry = new Registry();
    const name = "kvtier_promotion_allocation_failures_total";
    registerKvTierMetrics(registry, (await cacheOf({ type: "example" })).manager);
    registerKvTierMetrics(registry, (await cacheOf({ type: "example" })).manager);
    registerKvTierMetrics(registry, (await cacheOf()).manager, { labels: { cache: "llama", pool: 'a"b' } });
    expect(Object.keys(await seriesOf(registry, name))).toEqual([
      name,
      `${name}{cache="2"}`,
      `${name}{cache="llama",pool="a\\"b"}`,
    ]);
    expect(Object.keys(await seriesOf(registry, "kvtier_read_bytes_total"))).toEqual([
      'kvtier_read_bytes_total{tier="1:example"}',
      'kvtier_read_bytes_total{tier="1:example",cache="2"}',
    ]);
    const { manager } = await cacheOf();
    expect(() => registerKvTierMetrics(registry, manager, { labels: { pool: 'a"b', cache: "llama" } })).toThrow(
      expect.objectContaining({ code: "INVALID_STATE" }),
    );
  });

  it("registers a cache once, and takes it out again", async () => {
    const registry = new Registry();
    const [first, second] = [await cacheOf({ type: "example" }), await cacheOf({ type: "example" })];
    registerKvTierMetrics(registry, first.manager);
    const leave = registerKvTierMetrics(registry, first.manager);
    expect(Object.keys(await seriesOf(registry, "kvtier_pending_deadlines_total"))).toHaveLength(1);
    const leaveToo = registerKvTierMetrics(registry, second.manager);
    leave();
    leave();
    expect(Object.keys(await seriesOf(registry, "kvtier_pending_deadlines_total"))).toEqual([
      'kvtier_pending_deadlines_total{cache="2"}',
    ]);
    leaveToo();
    expect(registry.getMetricsAsArray()).toEqual([]);
    registerKvTierMetrics(registry, second.manager);
    expect(Object.keys(await seriesOf(registry, "kvtier_pending_deadlines_total"))).toEqual([
      "kvtier_pending_deadlines_total",
    ]);
  });

  it("is left by a cache that has shut down", async () => {
    const registry = new Registry();
    const [first, second] = [await cacheOf(), await cacheOf()];
    registerKvTierMetrics(registry, first.manager);
    await first.close();
    expect(await scrape(registry)).toEqual(new Map());
    expect(registry.getMetricsAsArray()).toEqual([]);
    registerKvTierMetrics(registry, second.manager);
    await second.close();
    expect(() => registerKvTierMetrics(registry, second.manager)).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });

  it("leaves a registry alone that has a metric of somebody else's under one of the names", async () => {
    const registry = new Registry();
    new Gauge({ name: "kvtier_disk_max_bytes", help: "mine", registers: [registry] });
    const { manager } = await cacheOf();
    expect(() => registerKvTierMetrics(registry, manager)).toThrow(
      expect.objectContaining({ code: "INVALID_STATE", message: expect.stringContaining("kvtier_disk_max_bytes") }),
    );
    expect(registry.getMetricsAsArray()).toHaveLength(1);
  });

  it("gets along with what else a registry does", async () => {
    const registry = new Registry<OpenMetricsContentType>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const tiering = await cacheOf({ type: "example" });
    registerKvTierMetrics(registry, tiering.manager);
    await roundTrip(tiering, 1);
    registry.resetMetrics();
    for (let i = 0; i < 2; i++) {
      const text = await registry.metrics();
      expect(text).toContain("# TYPE kvtier_chunk_hits counter");
      expect(text).toContain('kvtier_chunk_hits_total{tier="1:example"} 1');
    }
    registry.setDefaultLabels({ app: "chat" });
    expect(await Registry.merge([registry as unknown as Registry]).metrics()).toContain("kvtier_chunk_hits");
    expect(await registry.getSingleMetricAsString("kvtier_chunk_hits_total")).toContain('app="chat"');
  });

  it("refuses options that no scrape could have, all of them at once", async () => {
    const { manager } = await cacheOf();
    const options = { prefix: "1-", labels: { tier: "x", "a-b": "y", __c: "z" } };
    expect(() => registerKvTierMetrics(new Registry(), manager, options)).toThrow(
      expect.objectContaining({
        code: "CONFIG_INVALID",
        problems: [
          expect.objectContaining({ path: "prefix" }),
          expect.objectContaining({ path: "labels.tier" }),
          expect.objectContaining({ path: "labels.a-b" }),
          expect.objectContaining({ path: "labels.__c" }),
        ],
      }),
    );
  });
});
