import { describe, expect, it } from "@jest/globals";
import { createTestSpec } from "../../../../src/testing/create-test-spec.js";
import { makeOffloadKey } from "../../../../src/contracts/offload-key.js";
import { BlockKeys } from "../../../../src/tiers/redis/block-keys.js";
import { keySlot } from "../../../../src/tiers/redis/key-slot.js";
import { slotRanges } from "../../../../src/tiers/redis/slot-ranges.js";

describe("the keys of blocks", () => {
  const spec = createTestSpec();

  it("are prefix, namespace and the key of the block", () => {
    const keys = new BlockKeys("p:", spec);
    expect(keys.of(makeOffloadKey("ab", 1))).toMatch(/^p:test-model_[0-9a-f]{12}_r0:ab00000001$/);
  });

  it("are others for whatever changes the bytes of a block", () => {
    const namespaces = [
      spec,
      { ...spec, blockBytes: 1 },
      { ...spec, model: { ...spec.model, dtype: "bfloat16" } },
      { ...spec, model: { ...spec.model, rank: 1 } },
      { ...spec, model: { ...spec.model, layout: "x" } },
    ].map((identity) => new BlockKeys("", identity).namespace);
    expect(new Set(namespaces).size).toBe(namespaces.length);
  });

  it("are matched by a pattern in which the prefix has no other meaning", () => {
    expect(new BlockKeys("a*b[c-d]?\\", spec).pattern).toMatch(/^a\\\*b\\\[c\\-d\\\]\\\?\\\\test\\-model_/);
  });
});

describe("the slot of a key", () => {
  // From the cluster specification, and from CLUSTER KEYSLOT of a server.
  it.each([
    ["123456789", 12739],
    ["foo", 12182],
    ["", 0],
  ])("%j has the one that servers give it", (key, slot) => {
    expect(keySlot(key)).toBe(slot);
  });
});

describe("the reply of CLUSTER SLOTS", () => {
  it("names the master of each range, and the node that answered where it knows no name", () => {
    const reply = [
      [0, 99, ["10.0.0.1", 7000, "id", []], ["10.0.0.2", 7000, "id"]],
      [100, 16383, ["", 7001, "id"]],
    ];
    expect(slotRanges(reply, "seed")).toEqual([
      { first: 0, last: 99, master: { host: "10.0.0.1", port: 7000 } },
      { first: 100, last: 16383, master: { host: "seed", port: 7001 } },
    ]);
  });

  it.each([[[]], [null], ["x"], [[[0, 99999, ["h", 1]]]]])("is refused when it is %j", (reply) => {
    expect(() => slotRanges(reply, "seed")).toThrow("tells of no slots");
  });
});
