import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { SlotIndex } from "../../../../src/tiers/log/slot-index.js";

/** Hashes that collide often, and lie at both ends of the table, where searches wrap around. */
const hash = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 2 ** 32 - 4, max: 2 ** 32 - 1 }),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);
const step = fc.record({ op: fc.constantFrom("add", "delete", "find"), slot: fc.nat({ max: 150 }), hash });

describe("SlotIndex", () => {
  it("holds what a Map from slot to hash holds, whatever comes and goes", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 600 }), fc.nat({ max: 400 }), (steps, reserved) => {
        const index = new SlotIndex();
        index.reserve(reserved);
        const model = new Map<number, number>();
        for (const { op, slot, hash } of steps) {
          const held = model.get(slot);
          if (op === "add" && held === undefined) {
            index.add(hash, slot);
            model.set(slot, hash);
          } else if (op === "delete") {
            expect(index.delete(held ?? hash, slot)).toBe(held !== undefined);
            model.delete(slot);
          } else {
            expect(index.find(hash, (found) => found === slot)).toBe(held === hash ? slot : -1);
          }
          expect(index.size).toBe(model.size);
        }
        for (const [slot, hash] of model) expect(index.find(hash, (found) => found === slot)).toBe(slot);
      }),
    );
  });

  it("asks about slots of that hash alone, and about none when nothing is there", () => {
    const index = new SlotIndex();
    index.add(7, 1);
    index.add(7, 2);
    index.add(8, 3);
    const asked: number[] = [];
    expect(index.find(7, (slot) => asked.push(slot) < 0)).toBe(-1);
    expect(asked.sort()).toEqual([1, 2]);
  });
});
