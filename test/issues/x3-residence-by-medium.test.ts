import { describe, expect, it } from "@jest/globals";
import { BlockDescriptions } from "../../src/events/block-descriptions.js";
import { WireEvents, type WireEvent } from "../../src/events/wire-events.js";
import { keysOf, StepRig } from "../unit/orchestrator/step-rig.js";

const hash = (n: number): Uint8Array => Uint8Array.of(n);

/** A pool of one block, a tier whose events a test makes, and what subscribers are told. */
function rigOf(): { rig: StepRig; descriptions: BlockDescriptions; told: () => WireEvent[] } {
  const rig = new StepRig({ blocks: 1, recordEvents: true });
  const descriptions = new BlockDescriptions(9);
  const wire = new WireEvents(descriptions, {});
  let events: WireEvent[] = [];
  rig.manager.events.subscribe((more) => events.push(...wire.of(more)));
  // Two blocks of the engine in each block here: what a key alone does not tell.
  descriptions.add(keysOf(1), { tokenIds: [1, 2, 3, 4], blockHashes: [hash(0xa), hash(0xb)] });
  const told = (): WireEvent[] => {
    rig.step();
    const all = events;
    events = [];
    return all;
  };
  return { rig, descriptions, told };
}

const storage = (removed: boolean) => ({ keys: keysOf(1), medium: "STORAGE", removed }) as const;
const told = (type: string, medium: string): object => ({ type, medium, block_hashes: [0xan, 0xbn] });

describe("X3: a block that leaves one medium is still in the other", () => {
  it("keeps its description until it has left the last one", () => {
    const { rig, descriptions, told: next } = rigOf();
    rig.store("r", 1);
    rig.tier.events.push(storage(false));
    expect(next()).toMatchObject([told("BlockStored", "CPU"), told("BlockStored", "STORAGE")]);
    rig.releaseAll();
    rig.store("r", 2);
    expect(next()).toMatchObject([told("BlockRemoved", "CPU"), { type: "BlockStored", block_hashes: [2n] }]);
    expect(descriptions.size).toBe(1);
    rig.tier.events.push(storage(true));
    expect(next()).toMatchObject([told("BlockRemoved", "STORAGE")]);
    expect(descriptions.size).toBe(0);
  });

  it("keeps its residence in storage when it is stored in the pool again", () => {
    const { rig, descriptions, told: next } = rigOf();
    rig.store("r", 1);
    rig.tier.events.push(storage(false));
    next();
    rig.releaseAll();
    rig.store("r", 2);
    rig.releaseAll();
    rig.store("r", 1);
    next();
    rig.releaseAll();
    rig.store("r", 2);
    expect(next()[0]).toMatchObject(told("BlockRemoved", "CPU"));
    expect(descriptions.size).toBe(1);
    rig.tier.events.push(storage(true));
    expect(next()).toMatchObject([told("BlockRemoved", "STORAGE")]);
  });
});
