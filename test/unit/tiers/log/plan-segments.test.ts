import { describe, expect, it } from "@jest/globals";
import { planSegments } from "../../../../src/tiers/log/plan-segments.js";
import { segmentBytesOf } from "../../../../src/tiers/log/worker/segment-format.js";

const MIB = 2 ** 20;

describe("the segments of a log", () => {
  it.each([
    [{}, 65_536, 256 * MIB, Infinity],
    [{ maxBytes: 100 * 1024 * MIB }, 65_536, 256 * MIB, 400],
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

  it.each([
    [{ maxBytes: 2 * (8192 + 1000) - 1 }, "max_bytes"],
    [{ maxBytes: 1 }, "max_bytes"],
    [{ segmentBytes: 8192 + 999 }, "segment_bytes"],
    [{ maxBytes: 3 * MIB, segmentBytes: 2 * MIB }, "max_bytes"],
  ])("cannot be of %j", (config, path) => {
    expect(() => planSegments(config, 1000)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID", problems: [expect.objectContaining({ path })] }),
    );
  });
});
