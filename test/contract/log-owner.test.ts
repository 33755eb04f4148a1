import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { OwnerFiles } from "../../src/tiers/log/owner-files.js";
import type { ProcessIdentity } from "../../src/tiers/log/process-identity.js";
import { heldIn, segmentFolder, segmentNames, segmentsOf, withLog } from "../support/log-rig.js";
import { makeLogTier } from "../support/make-log-tier.js";
import { recordingLogger } from "../support/recording-logger.js";
import { openFilesBelow, withTempFolder } from "../support/temp-folder.js";

const config = segmentsOf(4, 3);
const ELSEWHERE: ProcessIdentity = { host: "far-away", pid: 4711, boot: "b", pidNamespace: "n" };
const NONCE = "0123456789abcdef";

/** Makes a process on another machine the owner of the log below `root`, which is there already. */
async function otherOwner(root: string): Promise<OwnerFiles> {
  const files = await OwnerFiles.create(segmentFolder(root), NONCE, ELSEWHERE);
  expect(await files.claim()).toBe(true);
  return files;
}

/** As if the owner had given its last sign of life so many seconds ago. */
async function silence(root: string, seconds: number): Promise<void> {
  const path = join(segmentFolder(root), `owner-${NONCE}.json`);
  const now = Date.now() / 1000;
  await utimes(path, now, now - seconds);
}

const withBlocks = (root: string): Promise<void> =>
  withLog(root, { config }, async (rig) => void (await rig.store([0, 1, 2, 3, 4])));

const lockFiles = async (root: string): Promise<string[]> =>
  (await readdir(segmentFolder(root))).filter((name) => name.startsWith("owner"));

describe("the owner of a log", () => {
  it("is one at a time, and who comes second is told of it by host and process", () =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => {
        await rig.store([1]);
        const second = makeLogTier(root, { config, context: rig.env });
        await expect(second.initialize()).rejects.toMatchObject({
          code: "TIER_INIT_FAILED",
          message: expect.stringContaining(`process ${process.pid} on host ${hostname()}`),
        });
        await second.shutdown();
        expect(await heldIn(rig, 3)).toEqual([1]);
      });
      expect(await lockFiles(root)).toEqual([]);
    }));

  it.each(["nobody", "one that fell silent"])("is one of many that try at once to follow %s", (before) =>
    withTempFolder(async (root) => {
      await withLog(root, { config }, async (rig) => {
        await rig.tier.shutdown();
        if (before !== "nobody") {
          await otherOwner(root);
          await silence(root, 3600);
        }
        const tiers = Array.from({ length: 6 }, () => makeLogTier(root, { config, context: rig.env }));
        const results = await Promise.allSettled(tiers.map((tier) => tier.initialize()));
        expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        for (const result of results)
          if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "TIER_INIT_FAILED" });
        for (const tier of tiers) await tier.shutdown();
      });
      expect(await lockFiles(root)).toEqual([]);
    }),
  );

  it("stays so while it gives signs of life, on whatever machine", () =>
    withTempFolder(async (root) => {
      await withBlocks(root);
      await otherOwner(root);
      // Time goes on meanwhile, by the file system's clock, which nobody moves by hand: well below the ten seconds.
      await silence(root, 2);
      await expect(withLog(root, { config }, async () => {})).rejects.toThrow("process 4711 on host far-away");
    }));

  it("has a successor once it was silent for ten seconds", () =>
    withTempFolder(async (root) => {
      await withBlocks(root);
      const owner = await otherOwner(root);
      await silence(root, 11);
      await withLog(root, { config }, async (rig) => {
        expect(await owner.isOwner()).toBe(false);
        expect(await heldIn(rig, 6)).toEqual([0, 1, 2, 3, 4]);
      });
    }));

  it("has a successor at once when its process has ended on this machine", () =>
    withTempFolder(async (root) => {
      const identity = join(segmentFolder(root), `owner-${NONCE}.json`);
      await withLog(root, { config }, async (rig) => {
        await rig.store([0, 1]);
        const own = (await lockFiles(root)).find((name) => name.endsWith(".json")) ?? "";
        const record = JSON.parse(await readFile(join(segmentFolder(root), own), "utf8")) as ProcessIdentity;
        await rig.tier.shutdown();
        await otherOwner(root);
        // No process has this number: it is above the highest that Linux gives.
        await writeFile(identity, JSON.stringify({ ...record, pid: 2 ** 22 + 1 }));
      });
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 3)).toEqual([0, 1]));
    }));

  it("does not write to files that a silent one may write to still", () =>
    withTempFolder(async (root) => {
      await withBlocks(root);
      const before = await segmentNames(root);
      await otherOwner(root);
      await silence(root, 11);
      const bytesOf = (name: string): Promise<Buffer> => readFile(join(segmentFolder(root), name));
      const contents = await Promise.all(before.map(bytesOf));
      await withLog(root, { config }, async (rig) => {
        // The newest segment has room, and is left alone all the same.
        await rig.store([10, 11]);
        expect(await Promise.all(before.map(bytesOf))).toEqual(contents);
        expect(await heldIn(rig, 20)).toEqual([0, 1, 2, 3, 4, 10, 11]);
        await rig.store([12, 13, 14, 15]);
        expect(await segmentNames(root)).not.toContain(before[0]);
        expect(await segmentNames(root)).toHaveLength(3);
      });
      // Still after an owner that was closed in order: the silent one is no less silent for that.
      await withLog(root, { config }, async (rig) => {
        await rig.store([16, 17, 18, 19, 20, 21, 22, 23]);
        expect(await segmentNames(root)).not.toContain(before[1]);
      });
    }));

  it("gives the folder up, and closes its files, also when it cannot leave word of it", () =>
    withTempFolder(async (root) => {
      const { logger, lines } = recordingLogger();
      await withLog(root, { config, context: { logger } }, async (rig) => {
        await rig.store([0, 1, 2, 3, 4]);
        // Stands for a disk that is full or has become read-only.
        await rm(join(segmentFolder(root), "log.json"));
        await mkdir(join(segmentFolder(root), "log.json"));
        await rig.tier.shutdown();
        expect(lines.map(({ message }) => message)).toEqual(["A log tier was not closed in order"]);
        expect([await lockFiles(root), await openFilesBelow(root)]).toEqual([[], []]);
        const second = makeLogTier(root, { config, context: rig.env });
        await expect(second.initialize()).rejects.toThrow("EISDIR");
        expect([await lockFiles(root), await openFilesBelow(root)]).toEqual([[], []]);
        await second.shutdown();
        await rm(join(segmentFolder(root), "log.json"), { recursive: true });
      });
      await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 6)).toEqual([0, 1, 2, 3, 4]));
    }));
});
