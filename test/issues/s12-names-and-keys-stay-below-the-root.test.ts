import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import type { OffloadKey } from "../../src/contracts/offload-key.js";
import { keyOf, TierRig } from "../../src/testing/conformance/tier-rig.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { openNamespace } from "../../src/tiers/disk/open-namespace.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { filesBelow, withTempFolder } from "../support/temp-folder.js";

const NAMES = [
  "../..",
  "..",
  ".",
  "/",
  "/etc/passwd",
  "\\",
  "..\\..",
  "\0",
  "%2e%2e",
  "",
  "x".repeat(300),
  "ü/ü",
  "CON",
];
const { model } = createTestSpec();

describe("S12: no name and no key leads out of root_dir", () => {
  it("puts every model name into one folder level below the root", () =>
    withTempFolder(async (folder) => {
      const root = join(folder, "root");
      for (const name of NAMES) {
        const blocks = await openNamespace(root, fsNamespace({ ...model, name }, 256));
        expect(blocks.slice(0, root.length + 1)).toBe(`${root}/`);
        expect(blocks.slice(root.length + 1)).not.toMatch(/[/\\\0]|^\./);
      }
      expect(await readdir(folder)).toEqual(["root"]);
      expect(await readdir(root)).toHaveLength(2 * NAMES.length);
    }));

  it("keeps names apart that look alike once they are safe", () => {
    const names = ["a/b", "a_b", "a\\b", "a b", "a%2fb", "A/b", "x".repeat(300), "x".repeat(301)];
    expect(new Set(names.map((name) => fsNamespace({ ...model, name }, 256).blocks)).size).toBe(names.length);
  });

  it("fails the forged keys of a job, and no other, and never finds one", async () => {
    const forged = [...NAMES, "0/../../../../x00000000", "ab".repeat(150)] as OffloadKey[];
    await TierRig.use(
      (env) => makeFsTier(join(env.folder, "root"), { context: env }),
      async (rig) => {
        const before = await filesBelow(rig.env.folder);
        const ns = Array.from({ length: forged.length + 1 }, (_, i) => i);
        const store = { ...rig.createJob(ns, ns, false), keys: [...forged, keyOf(1)] };
        rig.tier.submitStore(store);
        expect((await rig.resultOf(store)).success).toBe(false);
        const load = { ...rig.createJob(ns, ns, true), keys: [...forged, keyOf(1)] };
        rig.tier.submitLoad(load);
        expect(await rig.resultOf(load)).toMatchObject({ success: false, successfulKeys: [keyOf(1)] });
        for (const key of forged) {
          let verdict = rig.tier.lookup(key, { reqId: "a" });
          for (; verdict === LookupResult.Retry; verdict = rig.tier.lookup(key, { reqId: "a" })) await rig.step();
          expect(verdict).toBe(LookupResult.Miss);
        }
        const added = (await filesBelow(rig.env.folder)).filter((file) => !before.includes(file));
        expect(added).toEqual([join("root", fsNamespace(model, 1000).blocks, blockFileOf(keyOf(1)) ?? "")]);
      },
    );
  });

  it("does not follow a sub-folder that is a link, neither to write nor to read nor to remove", async () => {
    await TierRig.use(
      (env) => makeFsTier(join(env.folder, "root"), { context: env }),
      async (rig) => {
        const [subFolder = "", name = ""] = (blockFileOf(keyOf(1)) ?? "").split("/");
        const outside = join(rig.env.folder, "outside");
        await mkdir(outside);
        await writeFile(join(outside, name), rig.bytesOf(1));
        await symlink(outside, join(rig.env.folder, "root", fsNamespace(model, 1000).blocks, subFolder));

        expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
        expect((await rig.load([1], [9])).success).toBe(false);
        expect((await rig.store([1, 2])).success).toBe(false);
        await expect(rig.tier.remove?.([keyOf(1)])).rejects.toThrow("not followed");
        await expect(rig.tier.clear?.()).rejects.toThrow("not followed");
        expect(await readdir(outside)).toEqual([name]);
      },
    );
  });
});
