import { describe, expect, it } from "@jest/globals";
import { parseTieringConfigWith } from "../../src/config/parse-tiering-config.js";
import { splitTierConfig } from "../../src/config/split-tier-config.js";
import { KvTierError, type ConfigProblem } from "../../src/errors/kv-tier-error.js";
import { sampleCatalog, sampleConfig } from "../unit/config/sample-catalog.js";

function problemsOf(options: object): readonly ConfigProblem[] {
  try {
    parseTieringConfigWith(sampleCatalog, sampleConfig({ type: "disk", root_dir: "/x", ...options }));
  } catch (error) {
    if (KvTierError.is(error, "CONFIG_INVALID")) return error.problems;
    throw error;
  }
  return [];
}

describe("F7: strings were converted by truthiness, and numbers passed for strings", () => {
  it.each([["false"], ["true"], [""], ["0"], [0], [1], [null], [{}]])("takes %p for no boolean", (value) => {
    expect(problemsOf({ enable_kv_events: value }).map(({ path }) => path)).toEqual([
      "secondary_tiers[0].enable_kv_events",
    ]);
    expect(problemsOf({ checksum: value }).map(({ path }) => path)).toEqual(["secondary_tiers[0].checksum"]);
    expect(splitTierConfig({ type: "disk", enable_kv_events: value }, "").enableKvEvents).toBeUndefined();
  });

  it.each([["16"], [null], [Number.NaN], [Infinity], [-1], [0], [1.5], [true], [[16]], [""]])(
    "takes %p for no number of threads",
    (value) => {
      expect(problemsOf({ n_read_threads: value }).map(({ path }) => path)).toEqual([
        "secondary_tiers[0].n_read_threads",
      ]);
    },
  );

  it.each([[123], [true], [{}], [["/x"]], [null]])("takes %p for no string", (value) => {
    expect(problemsOf({ root_dir: value }).map(({ path }) => path)).toEqual(["secondary_tiers[0].root_dir"]);
  });

  it("takes real ones", () => {
    expect(problemsOf({ enable_kv_events: false, checksum: false, n_read_threads: 16 })).toEqual([]);
  });
});
