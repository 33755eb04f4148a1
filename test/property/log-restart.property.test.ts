import { open, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { keyOf, type TierRig } from "../../src/testing/conformance/tier-rig.js";
import { heldIn, segmentFolder, segmentNames, segmentsOf, withLog } from "../support/log-rig.js";
import { withTempFolder } from "../support/temp-folder.js";

const SLOTS = 6;
const config = segmentsOf(SLOTS, 4);
const BLOCKS = 30;

/** Something that a crash, a bad disk or a hand may do to a segment file. */
const damage = fc.record({
  segment: fc.nat({ max: 3 }),
  kind: fc.constantFrom("flip", "overwrite", "truncate", "zero", "copy entry", "remove"),
  /** In thousandths of the file: the header is the first two, the table lies from 289 to 316. */
  at: fc.oneof(fc.nat({ max: 999 }), fc.nat({ max: 8 }), fc.integer({ min: 286, max: 316 })),
  length: fc.integer({ min: 1, max: 200 }),
  seed: fc.nat({ max: 255 }),
});

type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

async function inflict(root: string, { segment, kind, at, length, seed }: Damage): Promise<void> {
  const name = (await segmentNames(root))[segment];
  if (name === undefined) return;
  const path = join(segmentFolder(root), name);
  if (kind === "remove") return rm(path);
  const bytes = await readFile(path);
  const from = Math.floor((at * bytes.length) / 1000);
  if (kind === "truncate") return writeFile(path, bytes.subarray(0, from));
  if (kind === "copy entry") bytes.copy(bytes, 4096 + 64 * (seed % SLOTS), 4096, 4096 + 64);
  else
    for (let i = from; i < Math.min(from + length, bytes.length); i++) bytes[i] = damaged(kind, bytes[i] ?? 0, seed, i);
  // In place, so that the file is the same one.
  const file = await open(path, "r+");
  await file.write(bytes, 0, bytes.length, 0);
  await file.close();
}

function damaged(kind: Damage["kind"], byte: number, seed: number, i: number): number {
  if (kind === "zero") return 0;
  return kind === "flip" ? byte ^ (1 << (seed & 7)) : (seed * 31 + i * 17) & 255;
}

const step = fc.record({ op: fc.constantFrom("store", "remove", "load"), n: fc.nat({ max: BLOCKS - 1 }) });

async function run(rig: TierRig, steps: readonly { op: string; n: number }[]): Promise<void> {
  for (const { op, n } of steps) {
    if (op === "store") await rig.store([n]);
    else if (op === "remove") await rig.tier.remove?.([keyOf(n)]);
    else if ((await rig.load([n], [40])).success) expect(rig.faultOf(n, 40)).toBe(null);
  }
}

describe("a log that is opened on damaged files", () => {
  it("serves every block byte for byte, or not at all", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 40 }),
        fc.array(damage, { maxLength: 4 }),
        fc.array(step, { maxLength: 20 }),
        (before, damages, after) =>
          withTempFolder(async (root) => {
            await withLog(root, { config }, (rig) => run(rig, before));
            for (const one of damages) await inflict(root, one);
            await withLog(root, { config }, async (rig) => {
              await heldIn(rig, BLOCKS);
              await run(rig, after);
            });
            await withLog(root, { config }, async (rig) => void (await heldIn(rig, BLOCKS)));
            expect((await segmentNames(root)).length).toBeLessThanOrEqual(4);
          }),
      ),
      { numRuns: 15 },
    );
  }, 180_000);

  it("holds what a list of the newest holds, over any number of runs", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.nat({ max: BLOCKS - 1 }), { maxLength: 20 }), { maxLength: 3 }), (runs) =>
        withTempFolder(async (root) => {
          // By what the ring is for: a block that is stored is there until as many others were stored as there is room for.
          let recent: number[] = [];
          for (const stores of runs) {
            await withLog(root, { config }, async (rig) => {
              for (const n of stores) {
                const isThere = (await rig.verdict(n, "a")) === "hit";
                await rig.store([n]);
                // One that is there stays where it is, and is no newer for that.
                if (!isThere) recent.push(n);
                recent = recent.slice(-(config.maxBytes / config.segmentBytes - 1) * SLOTS);
                for (const held of recent) expect(await rig.verdict(held, "a")).toBe("hit");
              }
              expect(await heldIn(rig, BLOCKS)).toEqual(expect.arrayContaining([...recent]));
            });
          }
        }),
      ),
      { numRuns: 8 },
    );
  }, 180_000);
});
