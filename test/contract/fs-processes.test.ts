import { readdir, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { keyOf, TierRig } from "../../src/testing/conformance/tier-rig.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { patternOf } from "../support/block-pattern.js";
import { storedBytes } from "../support/fs-blocks.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { runFsProcess } from "../support/run-fs-process.js";
import { filesBelow, withTempFolder } from "../support/temp-folder.js";

const BLOCK_BYTES = 2 ** 20;
const { model } = createTestSpec();

/**
 * Looks up the blocks 0 to `count - 1` in a tier of this process, loads those that are there, and checks each byte. With
 * `maxBytes`, what is too much is gone before.
 */
async function verified(root: string, count: number, maxBytes?: number): Promise<number[]> {
  const primaryKvView = PrimaryKvView.allocate(1, BLOCK_BYTES);
  const held: number[] = [];
  await TierRig.use(
    (env) =>
      makeFsTier(root, { context: { ...env, primaryKvView }, ...(maxBytes !== undefined && { config: { maxBytes } }) }),
    async (rig) => {
      const verdicts = await Promise.all(Array.from({ length: count }, (_, n) => rig.verdict(n, "a")));
      for (const [n, verdict] of verdicts.entries()) {
        if (verdict !== LookupResult.Hit) continue;
        expect((await rig.load([n], [0])).success).toBe(true);
        expect(Buffer.compare(primaryKvView.block(0), patternOf(n, BLOCK_BYTES))).toBe(0);
        held.push(n);
      }
    },
  );
  return held;
}

describe("fs, shared by processes", () => {
  it(
    "serves only whole blocks after writers were killed in the middle of their stores",
    () =>
      withTempFolder(async (root) => {
        const [runs, blocks, apart] = [3, 40, 8];
        for (let run = 0; run < runs; run++) {
          // Each starts where no block is yet, and is killed at another moment of another job.
          let jobs = 0;
          await runFsProcess({ root, blockBytes: BLOCK_BYTES, from: run * apart, to: blocks }, (line, child) => {
            if (Array.isArray(line) && ++jobs === run + 1) child.kill("SIGKILL");
          });
          const held = await verified(root, blocks);
          for (let n = run * apart; n < run * apart + 4; n++) expect(held).toContain(n);
        }
      }),
    120_000,
  );

  it(
    "takes what a killed writer left for no block, and stores it whole",
    () =>
      withTempFolder(async (root) => {
        await runFsProcess({ root, blockBytes: BLOCK_BYTES, from: 0, to: 2 });
        const folder = join(root, fsNamespace(model, BLOCK_BYTES).blocks);
        const [subFolder = "", name = ""] = (blockFileOf(keyOf(0)) ?? "").split("/");
        await truncate(join(folder, subFolder, name), BLOCK_BYTES / 2);
        await writeFile(join(folder, subFolder, "1-00112233aabb-1-1.tmp"), patternOf(3, BLOCK_BYTES));
        expect(await verified(root, 4)).toEqual([1]);
        await runFsProcess({ root, blockBytes: BLOCK_BYTES, from: 0, to: 4 });
        expect(await verified(root, 4)).toEqual([0, 1, 2, 3]);
      }),
    60_000,
  );

  it(
    "keeps every block whole that two processes store at once, and nothing but blocks",
    () =>
      withTempFolder(async (root) => {
        const job = { root, blockBytes: BLOCK_BYTES, from: 0, to: 20 };
        const outputs = await Promise.all([runFsProcess(job), runFsProcess(job)]);
        for (const [, ...jobs] of outputs)
          expect(jobs.flat()).toEqual(jobs.flat().map((one) => ({ ...one, success: true })));
        expect(await verified(root, 21)).toEqual(Array.from({ length: 20 }, (_, i) => i));
        const folder = join(root, fsNamespace(model, BLOCK_BYTES).blocks);
        expect(await readdir(join(folder, "00"))).toHaveLength(20);
      }),
    60_000,
  );

  it(
    "stores in one process while another, which has the lease, stores nothing",
    () =>
      withTempFolder(async (root) => {
        const maxBytes = 8 * (BLOCK_BYTES + 32);
        await TierRig.use(
          (env) => {
            const primaryKvView = PrimaryKvView.allocate(1, BLOCK_BYTES);
            return makeFsTier(root, { context: { ...env, primaryKvView }, config: { maxBytes } });
          },
          async () => {
            const [, ...results] = await runFsProcess({ root, blockBytes: BLOCK_BYTES, from: 0, to: 40, maxBytes });
            expect(results.flat().filter((one) => "success" in one && one.success)).toHaveLength(10);
            expect(await storedBytes(root)).toBeLessThanOrEqual(maxBytes);
          },
        );
      }),
    120_000,
  );

  it(
    "stays bounded with several processes at once, of which one was killed while it had the lease",
    () =>
      withTempFolder(async (root) => {
        const maxBytes = 12 * (BLOCK_BYTES + 32);
        const job = { root, blockBytes: BLOCK_BYTES, maxBytes };
        let jobs = 0;
        await runFsProcess({ ...job, from: 0, to: 40 }, (line, child) => {
          if (Array.isArray(line) && ++jobs === 6) child.kill("SIGKILL");
        });
        expect(await filesBelow(root)).toContain("evict.lock");

        const outputs = await Promise.all([40, 80].map((from) => runFsProcess({ ...job, from, to: from + 40 })));
        // They evict by turns, and who has to wait stores all the same.
        for (const [, ...results] of outputs)
          expect(results.flat().filter((one) => !("success" in one) || !one.success)).toEqual([]);
        // Each counted its own.
        expect(await storedBytes(root)).toBeLessThanOrEqual(2 * maxBytes);

        const held = await verified(root, 120, maxBytes);
        expect(held.length).toBeGreaterThan(0);
        expect(await storedBytes(root)).toBeLessThanOrEqual(maxBytes);
        expect((await filesBelow(root)).filter((file) => file.endsWith(".lock"))).toEqual([]);
      }),
    120_000,
  );
});
