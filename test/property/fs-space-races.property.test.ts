import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { fileOf, SpaceRig } from "../support/space-rig.js";
import { withTempFolder } from "../support/temp-folder.js";

const FILE_BYTES = 100;
const BLOCKS = 6;

interface Step {
  readonly do: "store" | "load" | "remove" | "clear";
  readonly n: number;
  /** Turns of the event loop before it begins. */
  readonly after: number;
  /** Turns that a store or a load takes. */
  readonly takes: number;
}

const turns = fc.integer({ min: 0, max: 12 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    do: fc.constantFrom("store", "store", "store", "load", "remove", "clear"),
    n: fc.integer({ min: 0, max: BLOCKS - 1 }),
    after: turns,
    takes: turns,
  }),
  { minLength: 2, maxLength: 16 },
);

async function pass(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function run(rig: SpaceRig, step: Step): Promise<void> {
  await pass(step.after);
  const meanwhile = (): Promise<void> => pass(step.takes);
  const file = fileOf(step.n);
  if (step.do === "store") await rig.store([step.n], meanwhile);
  else if (step.do === "load") await rig.load(step.n, meanwhile);
  else if (step.do === "remove") await rig.keeper.remove({ op: "remove", files: [file] });
  else await rig.keeper.remove({ op: "clear", subFolders: [file.slice(0, 2)] });
}

describe("the books of a folder, while blocks are stored and removed at once,", () => {
  it("are right when all is done, in whatever order it happened", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        await withTempFolder(async (root) => {
          const rig = await SpaceRig.open(root, { maxBytes: 4.5 * FILE_BYTES, lowWater: 1, fileBytes: FILE_BYTES });
          await Promise.all(script.map((step) => run(rig, step)));
          await rig.keeper.tell();
          await pass(1);
          const { used, reserved } = rig.ledger;
          expect({ used, reserved }).toEqual({ used: rig.bytesOnDisk(root), reserved: 0 });
          expect(rig.faults).toEqual([]);
          await rig.space.close();
        });
      }),
      { numRuns: 100 },
    );
  });
});
