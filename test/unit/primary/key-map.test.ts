import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../../src/contracts/offload-key.js";
import { KeyMap } from "../../../src/primary/key-map.js";

describe.each([
  ["one map", 1000],
  ["sixteen maps", 2 ** 23],
])("KeyMap over %s", (_name, expectedEntries) => {
  it("finds, replaces and forgets every key, whatever digit its hash ends in", () => {
    const map = new KeyMap(expectedEntries);
    const keys = Array.from({ length: 512 }, (_, i) => makeOffloadKey(Uint8Array.of(i % 256), i >> 8));
    keys.forEach((key, i) => map.set(key, i));
    expect(keys.map((key) => map.get(key))).toEqual(keys.map((_, i) => i));
    keys.forEach((key, i) => map.set(key, -i));
    expect(keys.map((key) => map.get(key))).toEqual(keys.map((_, i) => -i));
    for (const key of keys.slice(0, 256)) map.delete(key);
    expect(keys.filter((key) => map.get(key) !== undefined)).toEqual(keys.slice(256));
    map.clear();
    expect(keys.filter((key) => map.get(key) !== undefined)).toEqual([]);
  });
});
