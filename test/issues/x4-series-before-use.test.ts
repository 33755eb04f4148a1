import { describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import { registerKvTierMetrics } from "kvtier/prometheus";
import { createTestTiering, type TestTiering } from "kvtier/testing";
import { Registry } from "prom-client";
import { scrape } from "../support/scrape.js";
import { withTempFolder } from "../support/temp-folder.js";

/** A cache over two folders. */
const overFolders = (root: string): Promise<TestTiering> =>
  createTestTiering({
    cpu_bytes_to_use: 4096,
    block_bytes: 1024,
    model: { name: "m", dtype: "f16", tokens_per_block: 16 },
    secondary_tiers: ["a", "b"].map((folder) => ({
      type: "fs",
      root_dir: join(root, folder),
      max_bytes: "1MiB",
      backpressure: { backpressure_cls: "EMABackpressureDetector" },
    })),
  });

const COUNTERS = [
  ["chunk_queries", "chunk_hits", "read_bytes", "read_time", "write_bytes", "write_time", "evictions"],
  ["promotion_job_failures", "cascade_job_failures", "stores_dropped", "blocks_dropped", "integrity_failures"],
  ["backpressure_stores_dropped", "backpressure_blocks_dropped"],
].flat();

describe("X4: metrics of several caches, before their first use", () => {
  it("two managers in one registry do not collide, and every counter of every tier is there with 0", () =>
    withTempFolder(async (folder) => {
      const caches = [await overFolders(join(folder, "1")), await overFolders(join(folder, "2"))];
      try {
        const registry = new Registry();
        for (const { manager } of caches) registerKvTierMetrics(registry, manager);
        const series = await scrape(registry);
        for (const cache of ["", ',cache="2"']) {
          for (const tier of ["1:fs", "2:fs"]) {
            const values = COUNTERS.map((name) => series.get(`kvtier_${name}_total{tier="${tier}"${cache}}`));
            expect(values).toEqual(COUNTERS.map(() => 0));
            expect(series.get(`kvtier_disk_used_bytes{tier="${tier}"${cache}}`)).toBeGreaterThanOrEqual(0);
            expect(series.get(`kvtier_disk_max_bytes{tier="${tier}"${cache}}`)).toBe(2 ** 20);
          }
        }
      } finally {
        for (const { close } of caches) await close();
      }
    }));

  it("managers with registries of their own do not know of each other", () =>
    withTempFolder(async (folder) => {
      const caches = [await overFolders(join(folder, "1")), await overFolders(join(folder, "2"))];
      try {
        const scrapes = caches.map(({ manager }) => {
          const registry = new Registry();
          registerKvTierMetrics(registry, manager);
          return scrape(registry);
        });
        const [first, second] = await Promise.all(scrapes);
        expect(first?.size).toBeGreaterThan(50);
        expect([...(second?.keys() ?? [])]).toEqual([...(first?.keys() ?? [])]);
      } finally {
        for (const { close } of caches) await close();
      }
    }));
});
