import { describe, expect, it } from "@jest/globals";
import type { OffloadingEvent } from "../../../src/contracts/offloading-event.js";
import { MAX_KEPT_EVENTS } from "../../../src/orchestrator/event-feed.js";
import { keysOf, StepRig } from "./step-rig.js";

const rigOf = (): StepRig => new StepRig({ blocks: 2, recordEvents: true });
const stored = (...ns: number[]): OffloadingEvent => ({ keys: keysOf(...ns), medium: "CPU", removed: false });
const removed = (...ns: number[]): OffloadingEvent => ({ keys: keysOf(...ns), medium: "CPU", removed: true });

describe("EventFeed", () => {
  it("gives every subscriber the events of a step at its end, those of the pool before those of tiers", () => {
    const rig = rigOf();
    const heard: (readonly OffloadingEvent[])[] = [];
    for (let i = 0; i < 2; i++) rig.manager.events.subscribe((events) => void heard.push(events));
    rig.store("r", 1);
    const ofTier = { keys: keysOf(9), medium: "STORAGE", removed: false } as const;
    rig.tier.events.push(ofTier);
    expect(heard).toEqual([]);
    rig.step();
    expect(heard).toEqual([
      [stored(1), ofTier],
      [stored(1), ofTier],
    ]);
    rig.step();
    expect(heard).toHaveLength(2);
  });

  it("gives the first subscriber what nobody has taken yet, and leaves nothing to take", () => {
    const rig = rigOf();
    rig.store("r", 1, 2);
    rig.releaseAll();
    rig.store("r", 3);
    const heard: OffloadingEvent[] = [];
    const unsubscribe = rig.manager.events.subscribe((events) => void heard.push(...events));
    expect(rig.manager.takeEvents()).toEqual([]);
    rig.step();
    expect(heard).toEqual([stored(1, 2), removed(1), stored(3)]);
    unsubscribe();
    rig.releaseAll();
    rig.store("r", 4);
    rig.step();
    expect(heard).toHaveLength(3);
    expect(rig.manager.takeEvents()).toMatchObject([{ removed: true }, stored(4)]);
  });

  it("survives a subscriber that throws or changes its list", () => {
    const rig = rigOf();
    const heard: OffloadingEvent[] = [];
    rig.manager.events.subscribe((events) => {
      (events as OffloadingEvent[]).length = 0;
      throw new Error("of no use");
    });
    rig.manager.events.subscribe((events) => void heard.push(...events));
    rig.store("r", 1);
    rig.step();
    expect(heard).toEqual([stored(1)]);
    expect(rig.log.at(-1)).toMatchObject({ level: "error", message: expect.stringContaining("subscriber") });
  });

  it("delivers the last events of a shutdown, and takes no subscriber after it", async () => {
    const rig = rigOf();
    const heard: OffloadingEvent[] = [];
    rig.manager.events.subscribe((events) => void heard.push(...events));
    rig.store("r", 1);
    const closing = rig.manager.shutdown();
    rig.tier.events.push({ keys: keysOf(1), medium: "STORAGE", removed: false });
    rig.tier.release();
    await closing;
    expect(heard.map(({ medium }) => medium)).toEqual(["CPU", "STORAGE"]);
    expect(rig.manager.events.isClosed).toBe(true);
    expect(() => rig.manager.events.subscribe(() => {})).toThrow(expect.objectContaining({ code: "CLOSED" }));
  });

  it("keeps no more than so many events for nobody, the latest ones, and says so once", () => {
    const rig = rigOf();
    for (let step = 0; step < 3; step++) {
      for (let n = 0; n < MAX_KEPT_EVENTS / 2; n++) rig.tier.events.push(stored(step));
      rig.step();
    }
    const kept = rig.manager.takeEvents();
    expect([kept.length, kept[0]]).toEqual([MAX_KEPT_EVENTS / 2, stored(2)]);
    expect(rig.log.filter(({ level }) => level === "warn")).toHaveLength(1);
  });

  it("says whether anything is recorded at all", () => {
    expect(rigOf().manager.events.isEnabled).toBe(true);
    expect(new StepRig().manager.events.isEnabled).toBe(false);
  });
});
