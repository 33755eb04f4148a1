import { once } from "node:events";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { heldIn, segmentFolder, segmentNames, segmentsOf, withLog } from "../support/log-rig.js";
import { runLogProcess } from "../support/run-log-process.js";
import { withTempFolder } from "../support/temp-folder.js";

describe("log, with processes that are killed or frozen", () => {
  it.each([true, false])(
    "serves only whole blocks after its owner was killed in the middle of its stores (checksum: %p)",
    (checksum) =>
      withTempFolder(async (root) => {
        const config = { ...segmentsOf(8, 4), checksum };
        const [blocks, apart] = [60, 8];
        for (let run = 0; run < 3; run++) {
          // Each starts with other blocks, and is killed at another moment of another job.
          await runLogProcess({ root, from: run * apart, to: blocks, config }, (jobs, child) => {
            if (jobs === run + 1) child.kill("SIGKILL");
          });
          await withLog(root, { config }, async (rig) => {
            const held = await heldIn(rig, blocks);
            for (let n = run * apart; n < run * apart + 4; n++) expect(held).toContain(n);
          });
          expect((await segmentNames(root)).length).toBeLessThanOrEqual(4);
        }
      }),
    120_000,
  );

  it(
    "says what to do when there are more segments than files may be open, and holds all of them afterwards",
    () =>
      withTempFolder(async (root) => {
        const config = segmentsOf(1, 130);
        await withLog(root, { config }, async (rig) => {
          for (let n = 0; n < 120; n++) await store(rig, n);
        });
        const outOfFiles = runLogProcess({ root, from: 0, to: 0, config, maxFiles: 110 }, () => {});
        await expect(outOfFiles).rejects.toThrow(/EMFILE.*ulimit -n.*segment_bytes/s);
        await withLog(root, { config }, async (rig) => expect(await heldIn(rig, 130)).toHaveLength(120));
      }),
    120_000,
  );

  it(
    "has nothing written over by an owner that was frozen, was replaced, and goes on",
    () =>
      withTempFolder(async (root) => {
        // Nothing but who may write to which file keeps the blocks of the two apart.
        const config = { ...segmentsOf(4, 3), checksum: false };
        const theirs = 100_000;
        const jobs = await runLogProcess({ root, from: 0, to: theirs, config }, async (count, child) => {
          if (count !== 4) return;
          child.kill("SIGSTOP");
          const exited = once(child, "exit");
          const folder = segmentFolder(root);
          const record = (await readdir(folder)).find((name) => /^owner-.*\.json$/.test(name)) ?? "";
          await utimes(join(folder, record), 0, 0);
          await withLog(root, { config }, async (rig) => {
            const ours = Array.from({ length: 40 }, (_, i) => theirs + i);
            for (const n of ours.slice(0, 6)) expect(await store(rig, n)).toBe(true);
            child.kill("SIGCONT");
            // It stores on, as fast as it can, until it finds out.
            for (const n of ours.slice(6)) {
              expect(await store(rig, n)).toBe(true);
              const held = await heldFrom(rig, ours);
              expect(held).toContain(n);
            }
            await exited;
            expect((await heldFrom(rig, ours)).length).toBeGreaterThanOrEqual(8);
          });
        });
        expect(jobs.at(-1)).toBe(false);
        await withLog(root, { config }, async (rig) => void (await heldIn(rig, 200)));
      }),
    120_000,
  );
});

type Rig = Parameters<Parameters<typeof withLog>[2]>[0];

async function store(rig: Rig, n: number): Promise<boolean> {
  rig.fill(1, rig.bytesOf(n));
  return (await rig.store([n], [1])).success;
}

/** Which of the blocks `ns` are held; every byte of them is checked. */
async function heldFrom(rig: Rig, ns: readonly number[]): Promise<number[]> {
  const held: number[] = [];
  for (const n of ns) {
    rig.fill(0, 0);
    if (!(await rig.load([n], [0])).success) continue;
    expect(rig.faultOf(n, 0)).toBe(null);
    held.push(n);
  }
  return held;
}
