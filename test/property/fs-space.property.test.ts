import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { leaveFile, setAge } from "../support/fs-blocks.js";
import { fileOf, SpaceRig, type SpaceRigOptions } from "../support/space-rig.js";
import { withTempFolder } from "../support/temp-folder.js";

const FILE_BYTES = 100;
const BLOCKS = 24;

type Step =
  | { readonly do: "store"; readonly ns: readonly number[] }
  | { readonly do: "load" | "touch" | "remove" | "removeFromOutside"; readonly n: number }
  | { readonly do: "storeWhileLoading"; readonly n: number; readonly loaded: number }
  | { readonly do: "clear" | "restart" | "rescan" };

const block = fc.integer({ min: 0, max: BLOCKS - 1 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant("store" as const),
        ns: fc.uniqueArray(block, { minLength: 1, maxLength: 4 }),
      }),
    },
    { weight: 5, arbitrary: fc.record({ do: fc.constantFrom("load" as const, "touch" as const), n: block }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("storeWhileLoading" as const), n: block, loaded: block }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom("remove" as const, "removeFromOutside" as const), n: block }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "rescan" as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("clear" as const) }) },
  ),
  { minLength: 5, maxLength: 40 },
);

/** What should be there, the least recently used first. */
class Model {
  #order: number[] = [];

  use(n: number): void {
    if (this.#order.includes(n)) this.add(n);
  }

  add(n: number): void {
    this.drop(n);
    this.#order.push(n);
  }

  drop(n: number): void {
    this.#order = this.#order.filter((other) => other !== n);
  }

  /** What was there and is not any more must be what was used least recently, but for what could not go. */
  expectEvicted(isThere: (n: number) => boolean, spared: readonly number[]): void {
    const candidates = this.#order.filter((n) => !spared.includes(n));
    const evicted = candidates.filter((n) => !isThere(n));
    expect(evicted).toEqual(candidates.slice(0, evicted.length));
    evicted.forEach((n) => this.drop(n));
  }

  /** Sets the order to that of the files' times. */
  sortBy(timeOf: (n: number) => number): void {
    this.#order = [...this.#order].sort((a, b) => timeOf(a) - timeOf(b));
  }

  get blocks(): readonly number[] {
    return this.#order;
  }
}

class Run {
  rig: SpaceRig;
  readonly model = new Model();
  readonly #root: string;
  readonly #options: SpaceRigOptions;

  constructor(rig: SpaceRig, root: string, options: SpaceRigOptions) {
    this.rig = rig;
    this.#root = root;
    this.#options = options;
  }

  async step(step: Step): Promise<void> {
    const { rig, model } = this;
    switch (step.do) {
      case "store":
        return this.#store(step.ns);
      case "storeWhileLoading":
        await rig.load(step.loaded, () => this.#store([step.n], [step.loaded]));
        return model.use(step.loaded);
      case "load":
        expect(await rig.load(step.n)).toBe(model.blocks.includes(step.n));
        return model.use(step.n);
      case "touch":
        rig.space.touch([fileOf(step.n)]);
        return model.use(step.n);
      case "remove":
        await rig.keeper.remove({ op: "remove", files: [fileOf(step.n)] });
        return model.drop(step.n);
      case "removeFromOutside":
        rig.removeFromOutside(step.n);
        // Nobody knows, until somebody asks for it.
        await rig.load(step.n);
        return model.drop(step.n);
      case "clear":
        for (let i = 0; i < BLOCKS; i++) {
          await rig.keeper.remove({ op: "clear", subFolders: [fileOf(i).slice(0, 2)] });
          model.drop(i);
        }
        return;
      case "rescan":
        await rig.keeper.persist();
        this.#sortByTime();
        rig.clock.advance(61);
        return this.#settle();
      case "restart":
        await rig.space.close();
        this.#sortByTime();
        this.rig = await SpaceRig.open(this.#root, this.#options);
    }
  }

  async #store(ns: readonly number[], pinned: readonly number[] = []): Promise<void> {
    const { rig, model } = this;
    const count = await rig.store(ns);
    // A store's own files are spared: it may find them there.
    model.expectEvicted((n) => rig.has(n), [...ns, ...pinned]);
    for (const n of ns.slice(0, count)) model.add(n);
  }

  /** Times are equal where much happens in a moment: from here on each file has one of its own. */
  #sortByTime(): void {
    const { rig, model } = this;
    model.sortBy((n) => statSync(rig.path(n)).mtimeMs);
    model.blocks.forEach((n, i) => setAge(rig.path(n), 1000 - i));
  }

  /** Lets timers that fired do their work. */
  async #settle(): Promise<void> {
    for (let i = 0; i < 30; i++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("the books of a folder", () => {
  it("are right after whatever happens: never above the bound, least recently used first, over restarts too", async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 3, max: 10 }),
        fc.constantFrom(1, 0.9, 0.5),
        async (script, room, lowWater) => {
          await withTempFolder(async (root) => {
            const options = { maxBytes: room * FILE_BYTES + 50, lowWater, fileBytes: FILE_BYTES };
            await leaveFile(join(root, "notes.txt"), 10, 0);
            const run = new Run(await SpaceRig.open(root, options), root, options);
            for (const step of script) {
              await run.step(step);
              const bytes = run.rig.bytesOnDisk(root);
              expect(bytes).toBeLessThanOrEqual(options.maxBytes);
              expect(run.rig.ledger.reserved).toBe(0);
            }
            await run.rig.keeper.tell();
            expect(run.rig.ledger.used).toBe(run.rig.bytesOnDisk(root));
            expect(run.model.blocks.map((n) => run.rig.has(n))).toEqual(run.model.blocks.map(() => true));
            expect(run.rig.faults).toEqual([]);
            await run.rig.space.close();
            expect(readFileSync(join(root, "notes.txt"))).toHaveLength(10);
          });
        },
      ),
      { numRuns: 40 },
    );
  });
});
