import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import type { ModelSpec } from "../../src/contracts/offloading-spec.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { TierRig, keyOf } from "../../src/testing/conformance/tier-rig.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { patternOf } from "../support/block-pattern.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { runFsProcess } from "../support/run-fs-process.js";
import { withTempFolder } from "../support/temp-folder.js";

const base = createTestSpec().model;
const others: Required<{ [K in keyof ModelSpec]: ModelSpec[K] }> = {
  name: "another-model",
  dtype: "float8",
  revision: "2",
  tokensPerBlock: 32,
  worldSize: 2,
  rank: 1,
  layout: "blocked",
};
const fields = Object.keys(others) as (keyof ModelSpec)[];

describe("S5: what changes the bytes of a block is part of its namespace", () => {
  it("keeps apart models that differ in a single field, of those there are", () => {
    expect(fields.sort()).toEqual(Object.keys(base).sort());
    const variants = [base, ...fields.map((field) => ({ ...base, [field]: others[field] }))];
    const folders = variants.map((model) => fsNamespace(model, 256).blocks);
    folders.push(fsNamespace(base, 512).blocks);
    expect(new Set(folders).size).toBe(variants.length + 1);
  });

  it.each(fields)(
    "does not hit on the same folder when only %s differs, and hits when nothing does",
    async (field) => {
      await TierRig.use(
        (env) => makeFsTier(env.folder, { context: env }),
        async (rig) => {
          await rig.store([1]);
          const specs = [{ ...base, [field]: others[field] }, { ...base }];
          const verdicts: LookupResult[] = [];
          for (const model of specs) {
            const offloadingSpec = { ...rig.env.offloadingSpec, model };
            await TierRig.use(
              (env) => makeFsTier(rig.env.folder, { context: { ...env, offloadingSpec } }),
              async (other) => void verdicts.push(await other.verdict(1, "a")),
            );
          }
          expect(verdicts).toEqual([LookupResult.Miss, LookupResult.Hit]);
        },
      );
    },
    20_000,
  );

  it(
    "hits what another process stored, under the very same path",
    () =>
      withTempFolder(async (root) => {
        const [blockBytes, n] = [1000, 5];
        const [first, stored] = await runFsProcess({ root, blockBytes, from: n, to: n + 1 });
        expect(stored).toEqual([{ success: true, transferBytes: blockBytes }]);
        const model = createTestSpec().model;
        expect(first).toEqual({ path: `${fsNamespace(model, blockBytes).blocks}/${blockFileOf(keyOf(n))}` });

        const primaryKvView = PrimaryKvView.allocate(64, blockBytes);
        await TierRig.use(
          (env) => makeFsTier(root, { context: { ...env, primaryKvView } }),
          async (rig) => {
            expect(await rig.verdict(n, "a")).toBe(LookupResult.Hit);
            await rig.load([n], [9]);
            expect(new Uint8Array(primaryKvView.block(9))).toEqual(patternOf(n, blockBytes));
          },
        );
      }),
    30_000,
  );
});
