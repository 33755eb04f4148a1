import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { ModelSpec } from "../../../../src/contracts/offloading-spec.js";
import { createTestSpec } from "../../../../src/testing/create-test-spec.js";
import { fsNamespace } from "../../../../src/tiers/fs/namespace.js";

const { model } = createTestSpec();
const named = (name: string): ModelSpec => ({ ...model, name });

describe("fsNamespace", () => {
  it("is the readable name, twelve digits of the digest, and the rank", () => {
    const { name, blocks } = fsNamespace({ ...model, name: "org/Model-7B", rank: 3 }, 256);
    expect(name).toMatch(/^org_Model-7B_[0-9a-f]{12}$/);
    expect(blocks).toBe(`${name}_r3`);
  });

  it("does not depend on the order of the fields", () => {
    const reversed = Object.fromEntries(Object.entries(model).reverse()) as unknown as ModelSpec;
    expect(fsNamespace(reversed, 256)).toEqual(fsNamespace(model, 256));
  });

  it("describes itself, with every field that its digest covers", () => {
    const described = JSON.parse(fsNamespace(model, 256).config) as Record<string, unknown>;
    expect(described).toEqual({ ...model, blockBytes: 256, formatVersion: 1 });
    expect(Object.keys(described)).toEqual(Object.keys(described).sort());
  });

  it("makes one safe file name of any model name, and different ones of different names", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), fc.string({ maxLength: 8 }), (a, b) => {
        const { name } = fsNamespace(named(a), 256);
        expect(name).toMatch(/^[A-Za-z0-9_-][A-Za-z0-9._-]*_[0-9a-f]{12}$|^_[0-9a-f]{12}$/);
        expect(name.length).toBeLessThanOrEqual(80);
        expect(name === fsNamespace(named(b), 256).name).toBe(a === b);
      }),
    );
  });
});
