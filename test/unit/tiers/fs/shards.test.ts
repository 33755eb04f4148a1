import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { makeOffloadKey } from "../../../../src/contracts/offload-key.js";
import { shardOf } from "../../../../src/tiers/fs/shards.js";

describe("shardOf", () => {
  it("is the hash as a big-endian integer, modulo the number of shards", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 64 }),
        fc.integer({ min: 1, max: 1000 }),
        fc.integer({ min: 0, max: 0xffffffff }),
        (hash, shards, group) => {
          const whole = BigInt(`0x${Buffer.from(hash).toString("hex")}`);
          expect(shardOf(makeOffloadKey(hash, group), shards)).toBe(Number(whole % BigInt(shards)));
        },
      ),
    );
  });
});
