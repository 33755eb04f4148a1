import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { FewSet } from "../../../../src/tiers/shared/few-set.js";

const UNIVERSE = [{ n: 0 }, { n: 1 }, { n: 2 }];

describe("FewSet", () => {
  it("agrees with a set under any sequence of calls", () => {
    const call = fc.record({ add: fc.boolean(), value: fc.constantFrom(...UNIVERSE) });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 20 }), (calls) => {
        const few = new FewSet<{ n: number }>();
        const model = new Set<{ n: number }>();
        for (const { add, value } of calls) {
          if (add) expect(few.add(value)).toBe(!model.has(value));
          else expect(few.delete(value)).toBe(model.has(value));
          if (add) model.add(value);
          else model.delete(value);
          expect(few.toArray()).toEqual([...model]);
          expect([few.size, few.first]).toEqual([model.size, [...model][0]]);
          expect(UNIVERSE.map((one) => few.has(one))).toEqual(UNIVERSE.map((one) => model.has(one)));
        }
      }),
    );
  });
});
