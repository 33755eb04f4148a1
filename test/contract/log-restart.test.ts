import { copyFile, cp, readFile, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";
import { keyOf } from "../../src/testing/conformance/tier-rig.js";
import { logNamespace } from "../../src/tiers/log/log-namespace.js";
import { BLOCK_BYTES, heldIn, segmentFolder, segmentNames, segmentsOf, withLog } from "../support/log-rig.js";
import { filesBelow, withTempFolder } from "../support/temp-folder.js";

const config = segmentsOf(4, 3);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

describe("log, opened again", () => {
  it("holds what it held before", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => void (await rig.store(upTo(10))));
      await withLog(root, { config }, async (rig) => {
        expect(await heldIn(rig, 12)).toEqual(upTo(10));
        // It goes on where it stopped: there is room for two more, and then the oldest segment makes room.
        await rig.store([10, 11]);
        expect(await heldIn(rig, 20)).toEqual(upTo(12));
        await rig.store([12]);
        expect(await heldIn(rig, 20)).toEqual(upTo(13).slice(4));
      });
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 20)).toEqual(upTo(13).slice(4)));
      expect(await segmentNames(root)).toHaveLength(3);
    }));

  it("finds nothing in segments that were copied from another model's folder", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => {
        await rig.store(upTo(10));
        await rig.tier.shutdown();
        const { offloadingSpec } = rig.env;
        const model = { ...offloadingSpec.model, dtype: "fp8" };
        const other = { config, context: { offloadingSpec: { ...offloadingSpec, model } } };
        await withLog(root, other, async () => {});
        await cp(segmentFolder(root), join(root, logNamespace(model, BLOCK_BYTES).blocks), { recursive: true });
        await withLog(root, other, async (copy) => {
          expect(copy.tier.getStats()).toMatchObject({ blocksHeld: 0 });
          expect(await copy.verdict(1, "a")).toBe(LookupResult.Miss);
        });
      });
    }));

  it("leaves nothing behind but segments, their state and the description of the namespace", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => void (await rig.store(upTo(5))));
      const names = (await filesBelow(root)).map((file) =>
        file
          .split("/")
          .at(-1)
          ?.replace(/^.*\.seg$/, "*.seg"),
      );
      expect(names).toEqual(["config.json", "*.seg", "*.seg", "log.json"]);
    }));

  it("takes no more room than it may have now, and keeps the newest", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config: segmentsOf(4, 5) }, async (rig) => void (await rig.store(upTo(20))));
      await withLog(root, { config: segmentsOf(4, 2) }, async (rig) => {
        expect(await segmentNames(root)).toHaveLength(2);
        expect(await heldIn(rig, 20)).toEqual(upTo(20).slice(12));
      });
    }));

  it("gives up segments of another size, and touches no file that is not its own", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config: segmentsOf(4, 5) }, async (rig) => void (await rig.store(upTo(20))));
      const folder = segmentFolder(root);
      const [first = ""] = await segmentNames(root);
      await writeFile(join(folder, "notes.txt"), "mine");
      await writeFile(join(folder, "notes.seg"), "mine too");
      await copyFile(join(folder, first), join(folder, "copy-of-a.seg"));
      await withLog(root, { config: segmentsOf(5, 5) }, async (rig) => {
        expect(await heldIn(rig, 20)).toEqual([]);
        await rig.store([1]);
        expect(await heldIn(rig, 20)).toEqual([1]);
      });
      expect(await segmentNames(root)).toEqual([expect.stringMatching(/^0/), "copy-of-a.seg", "notes.seg"]);
      expect(await readFile(join(folder, "notes.txt"), "utf8")).toBe("mine");
    }));

  it("gives up a segment whose header is damaged or that was cut off, and follows no link", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => void (await rig.store(upTo(12))));
      const folder = segmentFolder(root);
      const [first = "", second = ""] = await segmentNames(root);
      const bytes = await readFile(join(folder, first));
      bytes[9] = (bytes[9] ?? 0) ^ 1;
      await writeFile(join(folder, first), bytes);
      await truncate(join(folder, second), 5000);
      await writeFile(join(root, "elsewhere"), "mine");
      await symlink(join(root, "elsewhere"), join(folder, "00000001-00000000.seg"));
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 12)).toEqual(upTo(12).slice(8)));
      expect(await segmentNames(root)).toHaveLength(1);
      expect(await readFile(join(root, "elsewhere"), "utf8")).toBe("mine");
    }));

  it("does not hold what was removed or cleared", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => {
        await rig.store(upTo(6));
        await rig.tier.remove?.([keyOf(2), keyOf(9)]);
      });
      await withLog(root, { config }, async (rig) => {
        expect(await heldIn(rig, 6)).toEqual([0, 1, 3, 4, 5]);
        await rig.tier.clear?.();
        await rig.store([7]);
      });
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 9)).toEqual([7]));
    }));

  it("knows one block from another by the whole key, however long it is", () =>
    withTempFolder(async (root) => {
      const keys = [32, 36, 37, 64].flatMap((bytes) =>
        [0, 1].map((group) => makeOffloadKey(new Uint8Array(bytes), group)),
      );
      const job = {
        blockIds: Int32Array.from(keys.keys()),
        isPromotion: false,
        reqContext: { reqId: "a" },
        submitTime: 0,
      };
      await withLog(root, { config }, async (rig) => {
        keys.forEach((_, i) => rig.fill(i, i + 1));
        rig.tier.submitStore({ ...job, jobId: 0, keys });
        await rig.tier.drainJobs();
      });
      await withLog(root, { config }, async (rig) => {
        keys.forEach((_, i) => rig.fill(i, 0));
        rig.tier.submitLoad({ ...job, jobId: 0, keys });
        await rig.tier.drainJobs();
        expect(rig.tier.getFinishedJobs()).toEqual([expect.objectContaining({ success: true })]);
        expect(keys.map((_, i) => rig.slot(i)[999])).toEqual(keys.map((_, i) => i + 1));
      });
    }));
});

describe("log without checksums, opened again", () => {
  const unchecked = { config: { ...config, checksum: false } };
  const forget = async (root: string, state: object): Promise<void> => {
    const path = join(segmentFolder(root), "log.json");
    const now = JSON.parse(await readFile(path, "utf8")) as object;
    await writeFile(path, JSON.stringify({ ...now, ...state }));
  };

  it("trusts its blocks after it was closed in order, or within one start of the machine", () =>
    withTempFolder(async (root) => {
      await withLog(root, unchecked, async (rig) => void (await rig.store(upTo(4))));
      await forget(root, { isClosed: true, boot: "another" });
      await withLog(root, unchecked, async (rig) => expect(await heldIn(rig, 4)).toEqual(upTo(4)));
      await forget(root, { isClosed: false });
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 4)).toEqual(upTo(4)));
    }));

  it("trusts them no more after the machine went down, then or later; those with a checksum it does", () =>
    withTempFolder(async (root) => {
      await withLog(root, unchecked, async (rig) => void (await rig.store([0, 1])));
      await withLog(root, { config }, async (rig) => void (await rig.store([2, 3])));
      await forget(root, { isClosed: false, boot: "another" });
      await withLog(root, unchecked, async (rig) => expect(await heldIn(rig, 4)).toEqual([2, 3]));
      await withLog(root, unchecked, async (rig) => expect(await heldIn(rig, 4)).toEqual([2, 3]));
    }));

  it("trusts nothing without checksum when its state cannot be read", () =>
    withTempFolder(async (root) => {
      await withLog(root, unchecked, async (rig) => void (await rig.store([0, 1])));
      await writeFile(join(segmentFolder(root), "log.json"), '{ "isClosed": tr');
      await withLog(root, unchecked, async (rig) => expect(await heldIn(rig, 4)).toEqual([]));
    }));
});
