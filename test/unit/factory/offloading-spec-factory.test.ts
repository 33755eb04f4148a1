import { describe, expect, it } from "@jest/globals";
import { createTiering } from "../../../src/cache/create-tiering.js";
import type { TieringConfig } from "../../../src/config/tiering-config.js";
import type { OffloadingSpecFactory } from "../../../src/factory/offloading-spec-factory.js";
import { CPUOffloadingSpec, TieringOffloadingSpec } from "../../../src/factory/offloading-specs.js";
import { parseTieringConfig } from "../../../src/factory/parse-tiering-config.js";
import { createTestSpec } from "../../../src/testing/create-test-spec.js";
import { specToken, TOKENS } from "../../../src/tokens.js";
import { FIXTURES, testContainer } from "../../support/tiering-container.js";

const RAW = {
  cpu_bytes_to_use: "4KiB",
  block_bytes: 256,
  model: { name: "llama", dtype: "float16", tokens_per_block: 16 },
};

function setUp() {
  const { container } = testContainer();
  return { container, factory: container.get<OffloadingSpecFactory>(TOKENS.specFactory) };
}

const parsed = (overrides: object = {}): TieringConfig => parseTieringConfig({ ...RAW, ...overrides });

describe("OffloadingSpecFactory", () => {
  it.each([
    ["TieringOffloadingSpec", TieringOffloadingSpec],
    ["CPUOffloadingSpec", CPUOffloadingSpec],
  ])("makes a %s from a parsed config", async (spec_name, target) => {
    const { factory } = setUp();
    const spec = await factory.createSpec(parsed({ spec_name, eviction_policy: "arc", enable_kv_cache_events: true }));
    expect(spec).toBeInstanceOf(target);
    expect({ ...spec }).toEqual({
      specName: spec_name,
      model: { name: "llama", dtype: "float16", tokensPerBlock: 16, revision: "", layout: "", worldSize: 1, rank: 0 },
      blockBytes: 256,
      numBlocks: 16,
      evictionPolicy: "arc",
      enableKvEvents: true,
    });
    expect(await factory.getSpecClass({ spec_name })).toBe(target);
  });

  it("finds a class by its module, named by spec_name, but only when nobody registered that", async () => {
    const { factory } = setUp();
    const config = parsed({ spec_name: "AcmeSpec", spec_module_path: "./acme.ts" });
    expect(await factory.createSpec(config)).toMatchObject({ specName: "AcmeSpec", model: { layout: "acme" } });
    expect((await factory.getSpecClass(config)).name).toBe("AcmeSpec");
    const shadowing = { spec_name: "CPUOffloadingSpec", spec_module_path: "./throws.js" };
    expect(await factory.getSpecClass(shadowing)).toBe(CPUOffloadingSpec);
  });

  it("registers lazily, and refuses a name that is taken", async () => {
    const { factory, container } = setUp();
    factory.registerSpec("mine", "./acme.ts", "AcmeSpec");
    factory.registerSpec("later", "./throws.js", "Nothing");
    expect(container.isBound(specToken("mine"))).toBe(true);
    expect(await factory.createSpec({ ...parsed(), specName: "mine" })).toMatchObject({ specName: "mine" });
    expect(() => factory.registerSpec("mine", "./other.js", "Other")).toThrow(
      expect.objectContaining({
        code: "INVALID_STATE",
        message: expect.stringContaining(
          "The offloading spec 'mine' is already registered by export 'AcmeSpec' of module './acme.ts', so export " +
            "'Other' of module './other.js' cannot register it too.",
        ),
      }),
    );
  });

  it("honours a rebound token, before a module too", async () => {
    const { factory, container } = setUp();
    const spec = createTestSpec();
    container.rebind(specToken("TieringOffloadingSpec")).toConstantValue(spec);
    expect(await factory.createSpec(parsed())).toBe(spec);
    container.bind(specToken("AcmeSpec")).toConstantValue(spec);
    expect(await factory.createSpec(parsed({ spec_name: "AcmeSpec", spec_module_path: "./throws.js" }))).toBe(spec);
  });

  it("knows no other name", async () => {
    const { factory } = setUp();
    await expect(factory.getSpecClass({ spec_name: "toString" })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      problems: [
        {
          path: "spec_name",
          message:
            "unknown spec 'toString'. Known: CPUOffloadingSpec, TieringOffloadingSpec. " +
            "For one of your own, set spec_module_path",
        },
      ],
    });
  });

  it.each([
    [
      "notAClass",
      "INVALID_STATE",
      "Export 'notAClass' of module './acme.ts' is not a class. It must make an OffloadingSpec.",
    ],
    ["arrow", "INVALID_STATE", "Export 'arrow' of module './acme.ts' is not a class. It must make an OffloadingSpec."],
    ["Nobody", "EXPORT_MISSING", `Module './acme.ts' (from ${FIXTURES}) has no export 'Nobody'.`],
    [
      "ModellessSpec",
      "INVALID_STATE",
      "Spec 'ModellessSpec' is no OffloadingSpec: absent or unsound are numBlocks, model.dtype, model.revision, " +
        "model.tokensPerBlock, model.worldSize, model.rank, model.layout.",
    ],
    ["BareTier", "INVALID_STATE", "Spec 'BareTier' could not be made: Found unexpected missing metadata"],
  ])("refuses the export %s", async (spec_name, code, message) => {
    const { factory } = setUp();
    await expect(factory.createSpec(parsed({ spec_name, spec_module_path: "./acme.ts" }))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  });

  it("says what a subclass without a constructor lacks", async () => {
    class HeirSpec extends TieringOffloadingSpec {}
    const { factory, container } = setUp();
    container.bind(specToken("heir")).to(HeirSpec);
    await expect(factory.createSpec({ ...parsed(), specName: "heir" })).rejects.toMatchObject({
      code: "INVALID_STATE",
      message: expect.stringContaining("HeirSpec was constructed without its config."),
    });
  });

  it("serves createTiering with a spec that was registered while configuring", async () => {
    const tiering = await createTiering(
      { ...RAW, spec_name: "mine" },
      {
        resolveFrom: FIXTURES,
        configure: (container) =>
          container.get<OffloadingSpecFactory>(TOKENS.specFactory).registerSpec("mine", "./acme.ts", "AcmeSpec"),
      },
    );
    expect(tiering.container.get(TOKENS.offloadingSpec)).toMatchObject({ specName: "mine", model: { layout: "acme" } });
    await tiering.close();
  });
});
