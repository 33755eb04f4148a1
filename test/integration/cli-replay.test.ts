import { describe, expect, it } from "@jest/globals";
import type { ReplayResult } from "../../src/cli/replay/replay-result.js";
import { brokenTier, CLI_FIXTURES, configOf, fileIn, kvtier, traceOf, type CliRun } from "../support/cli-run.js";
import { lruPrefixHits, sharedPrefixRequests } from "../support/prefix-oracle.js";
import { withTempFolder } from "../support/temp-folder.js";

type Requests = readonly (readonly number[])[];

async function run(config: object, trace: Requests | string, ...args: string[]): Promise<CliRun> {
  return withTempFolder(async (folder) => {
    const configFile = await fileIn(folder, "c.json", config);
    const traceFile = await fileIn(folder, "t.jsonl", typeof trace === "string" ? trace : traceOf(trace));
    return kvtier("replay", traceFile, "--config", configFile, "--resolve-from", CLI_FIXTURES, ...args);
  });
}

async function replay(config: object, trace: Requests, ...args: string[]): Promise<ReplayResult & { code: number }> {
  const { code, out } = await run(config, trace, "--json", ...args);
  return { code, ...(JSON.parse(out) as ReplayResult) };
}

const REQUESTS = sharedPrefixRequests({ seed: 7, requests: 150, maxBlocks: 24 });
const LOOKED_UP = REQUESTS.flat().length;
const UNIQUE = new Set(REQUESTS.flat()).size;

describe("kvtier replay", () => {
  it.each([24, 40, 100])("hits as often as an LRU cache of %d blocks, without a tier behind", async (capacity) => {
    const result = await replay(configOf(capacity), REQUESTS);
    const hits = lruPrefixHits(REQUESTS, capacity);
    expect(hits).toBeGreaterThan(0);
    expect(result).toMatchObject({
      code: 0,
      requests: 150,
      blocks: { lookedUp: LOOKED_UP, unique: UNIQUE },
      prefixHitRate: hits / LOOKED_UP,
      verified: { blocks: hits, mismatches: 0 },
      blocksNotStored: 0,
      primary: { capacityBlocks: capacity, hits, evictions: LOOKED_UP - hits - capacity },
      tiers: [],
    });
  });

  it.each(["lru", "arc"])(
    "hits as an unbounded cache with an unbounded tier behind a small %s pool",
    async (policy) => {
      await withTempFolder(async (root) => {
        const hits = LOOKED_UP - UNIQUE;
        for (const tier of [{ type: "example" }, { type: "fs", root_dir: root }]) {
          const result = await replay({ ...configOf(24, tier), eviction_policy: policy }, REQUESTS);
          expect(result).toMatchObject({ code: 0, verified: { blocks: hits, mismatches: 0 } });
          expect(result.prefixHitRate).toBe(hits / LOOKED_UP);
          const [stored] = result.tiers;
          expect(result.primary.hits + (stored?.hits ?? 0)).toBe(hits);
          expect(stored).toMatchObject({
            index: 0,
            type: tier.type,
            bytesRead: (stored?.hits ?? 0) * 1000,
            bytesWritten: UNIQUE * 1000,
            storesDropped: 0,
            blocksDropped: 0,
            failures: 0,
          });
        }
      });
    },
  );

  it("prints exactly the promised fields", async () => {
    const { code: _, ...result } = await replay(configOf(30, { type: "example" }), REQUESTS);
    const latency = { p50: expect.any(Number), p99: expect.any(Number) };
    expect(result).toEqual({
      requests: expect.any(Number),
      blocks: { lookedUp: expect.any(Number), unique: expect.any(Number) },
      prefixHitRate: expect.any(Number),
      verified: { blocks: expect.any(Number), mismatches: 0 },
      firstMismatch: null,
      storedBefore: 0,
      blocksNotStored: 0,
      primary: { capacityBlocks: 30, hits: expect.any(Number), evictions: expect.any(Number) },
      tiers: [
        {
          index: 0,
          type: "example",
          queries: expect.any(Number),
          hits: expect.any(Number),
          bytesRead: expect.any(Number),
          bytesWritten: expect.any(Number),
          storesDropped: 0,
          blocksDropped: 0,
          failures: 0,
          readLatencyS: latency,
          writeLatencyS: latency,
        },
      ],
      durationS: expect.any(Number),
    });
  });

  it.each(["FlippingTier", "SwappingTier", "IdleTier"])("finds the wrong bytes of a %s", async (type) => {
    const { code, out, err } = await run(configOf(24, brokenTier(type)), REQUESTS, "--json");
    const { verified, firstMismatch } = JSON.parse(out) as ReplayResult;
    expect(code).toBe(1);
    expect(verified.mismatches).toBeGreaterThan(0);
    expect(verified.mismatches).toBeLessThanOrEqual(verified.blocks);
    expect(firstMismatch?.source).toBe(`1:${type}`);
    expect(err).toContain(`served by 1:${type}`);
  });

  it("stores the head of a request that is longer than the pool, and does not wait for room that cannot come", async () => {
    const long = Array.from({ length: 20 }, (_, i) => i);
    const other = Array.from({ length: 8 }, (_, i) => 100 + i);
    const result = await replay(configOf(8, { type: "example" }), [long, long, other, long]);
    expect(result).toMatchObject({
      code: 0,
      // Eight of the second and the fourth request; of the fourth, from the tier.
      verified: { blocks: 16, mismatches: 0 },
      blocksNotStored: 36,
      primary: { hits: 8 },
      tiers: [{ bytesWritten: 16_000, hits: expect.any(Number) }],
    });
  });

  it("changes the payload and not the number of blocks with --block-bytes", async () => {
    const result = await replay(configOf(30, { type: "example" }), REQUESTS, "--block-bytes", "3KiB");
    expect(result.primary.capacityBlocks).toBe(30);
    expect(result.tiers[0]?.bytesWritten).toBe(UNIQUE * 3072);
    expect(result.verified).toEqual({ blocks: LOOKED_UP - UNIQUE, mismatches: 0 });
  });

  it("says what the pool is with --block-bytes", async () => {
    const { err } = await run(configOf(30), [[1]], "--block-bytes", "3KiB");
    expect(err).toBe("kvtier: a pool of 30 blocks of 3 KiB, 90 KiB in all\n");
  });

  it("says so when the trace has no requests", async () => {
    const { code, out } = await run(configOf(30), "\n");
    expect([code, out]).toEqual([0, "the trace has no requests\n"]);
  });

  it("tells apart the hits on blocks that an earlier run stored", async () => {
    await withTempFolder(async (root) => {
      const config = configOf(8, { type: "fs", root_dir: root });
      expect(await replay(config, [[1, 2], [1, 2, 3]])).toMatchObject({ storedBefore: 0, verified: { blocks: 2 } }); // prettier-ignore
      expect(await replay(config, [[1, 2], [1, 2, 4]])).toMatchObject({ storedBefore: 2, verified: { blocks: 4 } }); // prettier-ignore
      const { out } = await run(config, [[1, 2, 3]]);
      expect(out).toContain("3 of the hits were blocks of an earlier run");
      for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    });
  });

  it("replaces sizes in either spelling", async () => {
    const { cpu_bytes_to_use: cpuBytesToUse, block_bytes: blockBytes, ...rest } = configOf(30, { type: "example" });
    const result = await replay({ ...rest, cpuBytesToUse, blockBytes }, REQUESTS, "--block-bytes", "7");
    expect(result.tiers[0]?.bytesWritten).toBe(UNIQUE * 7);
  });

  it("stops after --limit requests, before anything that follows", async () => {
    const { code, out } = await run(
      configOf(30),
      `${traceOf(REQUESTS.slice(0, 5))}nonsense\n`,
      "--json",
      "--limit",
      "5",
    );
    expect([code, (JSON.parse(out) as ReplayResult).requests]).toEqual([0, 5]);
  });

  it("takes empty lines, a missing last line end, repeated ids and requests without blocks", async () => {
    const { code, out } = await run(configOf(8), `\n${traceOf([[1, 1, 2], []])}\r\n{"hash_ids":[1,1,2]}`, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      requests: 3,
      blocks: { lookedUp: 6, unique: 2 },
      verified: { blocks: 3, mismatches: 0 },
    });
  });

  it("has a hit rate of 0 for an empty trace", async () => {
    expect(await replay(configOf(8), [])).toMatchObject({ code: 0, requests: 0, prefixHitRate: 0 });
  });

  it.each([
    ["{", "it is no JSON"],
    ["[1]", "it is no JSON object"],
    ['{"hash_ids": 1}', "hash_ids is missing, or is no array"],
    ['{"timestamp": 1}', "hash_ids is missing, or is no array"],
    ['{"hash_ids": [1, "2"]}', "hash_ids[1] is no whole number"],
    ['{"hash_ids": [-1]}', "hash_ids[0] is no whole number"],
    ['{"hash_ids": [1.5]}', "hash_ids[0] is no whole number"],
  ])("stops at a bad line, and gives its number: %s", async (line, message) => {
    const { code, out, err } = await run(configOf(8), `${traceOf([[1]])}\n${line}\n${traceOf([[2]])}`, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({ error: { message: expect.stringContaining(message), line: 3 } });
    expect(err).toMatch(/t\.jsonl:3: bad line: /);
  });

  it("exits with 2 when the trace cannot be read, and with 3 when the config is bad", async () => {
    await withTempFolder(async (folder) => {
      const config = await fileIn(folder, "c.json", configOf(8));
      for (const trace of [`${folder}/none.jsonl`, folder]) {
        const { code, out, err } = await kvtier("replay", trace, "--config", config);
        expect([code, out]).toEqual([2, ""]);
        expect(err).toMatch(/^kvtier: The trace cannot be read: E\w+: .*\n$/);
      }
      const trace = await fileIn(folder, "t.jsonl", traceOf([[1]]));
      expect((await kvtier("replay", trace, "--config", `${folder}/none.json`)).code).toBe(3);
      for (const bad of [{}, "{", configOf(8, { type: "nope" }), configOf(8, brokenTier("Absent"))]) {
        const { code, out, err } = await run(bad as object, [[1]]);
        expect([code, out]).toEqual([3, ""]);
        expect(err).not.toMatch(/\n\s+at /);
      }
    });
  });

  it("shows no secret that a tier quotes when it cannot start", async () => {
    const { code, out, err } = await run(
      configOf(8, brokenTier("RefusedTier", { api_key: "x", password: "hunter2-a" })),
      [[1]],
    );
    expect([code, out]).toEqual([1, ""]);
    expect(err).toContain("secondary_tiers[0] ('RefusedTier')");
    expect(err).not.toContain("hunter2");
  });

  it("counts the stores that a tier failed", async () => {
    const result = await replay(configOf(24, brokenTier("FullTier")), REQUESTS);
    expect(result.code).toBe(0);
    expect(result.tiers[0]?.failures).toBeGreaterThan(0);
    expect(result.verified).toEqual({ blocks: lruPrefixHits(REQUESTS, 24), mismatches: 0 });
  });

  it("prints a table by tier and the rate for people", async () => {
    const { code, out, err } = await run(configOf(24, { type: "example" }), REQUESTS);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/│ 0:primary +│/);
    expect(out).toMatch(/│ 1:example +│/);
    const rate = (100 * (LOOKED_UP - UNIQUE)) / LOOKED_UP;
    expect(out).toContain(`prefix hit rate  ${rate.toFixed(2)} %`);
    expect(out).toContain("0 with wrong bytes");
    // eslint-disable-next-line no-control-regex -- looks for colours
    expect(out).not.toMatch(/\u001b/);
  });
});
