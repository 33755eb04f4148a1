import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { makeOffloadKey, type OffloadKey } from "../../../src/contracts/offload-key.js";
import { BlockIndex } from "../../../src/primary/block-index.js";

const NODES = 64;

/** Keys that differ in their first bytes only, as those of little-endian counters do. */
const headKey = (n: number): OffloadKey => makeOffloadKey(Uint8Array.from([n & 255, n >> 8, ...new Uint8Array(30)]));
const tailKey = (n: number): OffloadKey => makeOffloadKey(n.toString(16).padStart(64, "0"));
const groupKey = (n: number): OffloadKey => makeOffloadKey("ab".repeat(32), n);
const shortKey = (n: number): OffloadKey => makeOffloadKey(Uint8Array.of(n & 255));

describe("BlockIndex", () => {
  it.each([
    ["the head of the hash", headKey],
    ["its tail", tailKey],
    ["the group", groupKey],
    ["a hash of one byte", shortKey],
  ])("agrees with a map under any sequence of calls, keys differing in %s", (_where, keyOf) => {
    const call = fc.record({ key: fc.nat(100), node: fc.nat(NODES - 1) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 300 }), (calls) => {
        const index = new BlockIndex(NODES / 2, NODES);
        const model = new Map<OffloadKey, number>();
        for (const { key: number, node } of calls) {
          const key = keyOf(number);
          const at = model.get(key);
          const taken = [...model.values()].includes(node);
          if (at !== undefined && at !== node && !taken) {
            index.move(at, node);
            model.set(key, node);
          } else if (at !== undefined) {
            index.drop(at);
            model.delete(key);
          } else if (!taken) {
            index.put(key, node);
            model.set(key, node);
          }
        }
        for (let number = 0; number <= 100; number++) {
          expect(index.nodeOf(keyOf(number))).toBe(model.get(keyOf(number)));
        }
        for (const [key, node] of model) expect(index.keyAt(node)).toBe(key);
      }),
    );
  });

  it("tells a slot from a node behind the slots", () => {
    const index = new BlockIndex(1, 2);
    index.put(tailKey(1), 0);
    index.put(tailKey(2), 1);
    expect([index.slotOf(tailKey(1)), index.slotOf(tailKey(2))]).toEqual([0, undefined]);
    expect([index.nodeOf(tailKey(1)), index.nodeOf(tailKey(2))]).toEqual([0, 1]);
  });

  it("finds thousands of keys that are all alike where most keys differ", () => {
    const keys = Array.from({ length: 3000 }, (_, n) => headKey(n));
    const index = new BlockIndex(keys.length, keys.length);
    keys.forEach((key, node) => index.put(key, node));
    expect(keys.map((key) => index.nodeOf(key))).toEqual(keys.map((_, node) => node));
    for (let node = 0; node < keys.length; node += 2) index.drop(node);
    expect(keys.map((key) => index.nodeOf(key))).toEqual(keys.map((_, node) => (node % 2 === 1 ? node : undefined)));
  });

  it("knows no key any more once cleared", () => {
    const index = new BlockIndex(2, 2);
    index.put(tailKey(1), 0);
    index.clear();
    expect(index.nodeOf(tailKey(1))).toBeUndefined();
    index.put(tailKey(2), 0);
    expect(index.nodeOf(tailKey(2))).toBe(0);
  });

  it("refuses to name, move or forget the key of an empty node", () => {
    const index = new BlockIndex(2, 2);
    index.put(tailKey(1), 0);
    index.drop(0);
    for (const call of [() => index.keyAt(0), () => index.move(0, 1), () => index.drop(0)]) {
      expect(call).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
    }
  });
});
