import { describe, expect, it } from "@jest/globals";
import { KvTierError } from "../../../../src/errors/kv-tier-error.js";
import { parseTieringConfig } from "../../../../src/factory/parse-tiering-config.js";
import { planSegments } from "../../../../src/tiers/log/plan-segments.js";
import { segmentBytesOf } from "../../../../src/tiers/log/worker/segment-format.js";

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const LEAST = segmentBytesOf({ slots: 1, blockBytes: 1000 });

describe("the segments of a log", () => {
  it.each([
    [{}, 65_536, 256 * MIB, 512],
    [{ maxBytes: 100 * GIB }, 65_536, 256 * MIB, 400],
    [{ maxBytes: 128 * GIB }, 65_536, 256 * MIB, 512],
    [{ maxBytes: 129 * GIB }, 65_536, 512 * MIB, 258],
    [{ maxBytes: 4096 * GIB }, 65_536, 8 * GIB, 512],
    [{ maxBytes: 64 * MIB }, 65_536, 16 * MIB, 4],
    [{ maxBytes: 64 * MIB, segmentBytes: 32 * MIB }, 65_536, 32 * MIB, 2],
    [{ maxBytes: 2 * (8192 + 1000) }, 1000, 8192 + 1000, 2],
    [{ maxBytes: 100 * MIB }, 32 * MIB, 32 * MIB + 8192, 3],
  ])("of %j, for blocks of %i bytes, take at most %i bytes each and are %p", (config, blockBytes, bytes, count) => {
    const { slots, maxSegments } = planSegments(config, blockBytes);
    const taken = segmentBytesOf({ slots, blockBytes });
    expect(taken).toBeLessThanOrEqual(bytes);
    expect(taken).toBeGreaterThan(bytes - blockBytes - 8192);
    // What is left of a segment that is no whole block may be enough for one more.
    expect(maxSegments).toBeGreaterThanOrEqual(count);
    if (count < 10) expect(maxSegments).toBe(count);
    expect(maxSegments * taken <= ((config as { maxBytes?: number }).maxBytes ?? Infinity)).toBe(true);
  });

  it("have no more slots than the index has numbers", () => {
    const { slots, maxSegments } = planSegments({ segmentBytes: 64 * GIB }, 1);
    expect(slots * maxSegments).toBeLessThan(2 ** 32);
    expect(maxSegments).toBeGreaterThanOrEqual(2);
  });

  it.each([
    [{ maxBytes: 2 * LEAST - 1 }, "max_bytes"],
    [{ maxBytes: 1 }, "max_bytes"],
    [{ segmentBytes: LEAST - 1 }, "segment_bytes"],
  ])("cannot be of %j, for blocks of 1000 bytes", (config, path) => {
    expect(() => planSegments(config, 1000)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", problems: [expect.objectContaining({ path })] }),
    );
  });
});

describe("the options of a log", () => {
  const problemsOf = (options: object, blockBytes = 1000): unknown =>
    problemsIn(() =>
      parseTieringConfig({
        cpu_bytes_to_use: 10 * blockBytes,
        block_bytes: blockBytes,
        model: { name: "m", dtype: "f16", tokens_per_block: 16 },
        secondary_tiers: [{ type: "log", root_dir: "/kv", ...options }],
      }),
    );

  it.each([
    [{ segment_bytes: 1 }, "segment_bytes", "must be at least 8193"],
    [{ segment_bytes: "1TiB" }, "segment_bytes", "must be at most 64 GiB"],
    [
      { segment_bytes: LEAST - 1 },
      "segment_bytes",
      `must be at least ${LEAST} bytes (a block of 1000 B and its entry)`,
    ],
    [{ segment_bytes: "3MiB", max_bytes: "5MiB" }, "segment_bytes", "must be at most half of max_bytes (5242880)"],
    [
      { segment_bytes: "1MiB", max_bytes: "1GiB" },
      "segment_bytes",
      "must be at least 2 MiB: max_bytes would take 1024",
    ],
    [{ max_bytes: "33TiB" }, "max_bytes", "must be at most 32 TiB"],
    [{ max_bytes: LEAST }, "max_bytes", "must have room for 2 segments"],
  ])("cannot be %j, and that is found out before anything is made", (options, key, message) => {
    expect(problemsOf(options)).toEqual([
      { path: `secondary_tiers[0].${key}`, message: expect.stringContaining(message) },
    ]);
  });

  it.each([{}, { max_bytes: 2 * LEAST }, { max_bytes: "32TiB" }, { segment_bytes: "2MiB", max_bytes: "1GiB" }])(
    "can be %j",
    (options) => expect(problemsOf(options)).toEqual([]),
  );

  it("are looked at one by one where the other is no size", () => {
    expect(problemsOf({ segment_bytes: "1TiB", max_bytes: "much" })).toEqual([
      expect.objectContaining({ path: "secondary_tiers[0].max_bytes" }),
      expect.objectContaining({ path: "secondary_tiers[0].segment_bytes" }),
    ]);
  });
});

function problemsIn(parse: () => unknown): readonly unknown[] {
  try {
    parse();
    return [];
  } catch (error) {
    if (KvTierError.is(error, "CONFIG_INVALID")) return error.problems;
    throw error;
  }
}
