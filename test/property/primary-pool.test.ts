import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { makeOffloadKey, type OffloadKey } from "../../src/contracts/offload-key.js";
import type { OffloadingEvent } from "../../src/contracts/offloading-event.js";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { PrimaryTier } from "../../src/primary/primary-tier.js";
import { ArcModel, LruModel, type PoolModel } from "./pool-model.js";

const UNIVERSE = Array.from({ length: 8 }, (_, i) => makeOffloadKey(Uint8Array.of(i)));

const keys = fc.array(fc.constantFrom(...UNIVERSE), { maxLength: 4 });
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ prepareStore: keys }) },
  { weight: 8, arbitrary: fc.record({ use: keys }) },
  { weight: 3, arbitrary: fc.record({ completeStore: keys, success: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ prepareLoad: keys }) },
  { weight: 4, arbitrary: fc.record({ completeLoad: keys }) },
  { weight: 3, arbitrary: fc.record({ allocate: fc.constantFrom(...UNIVERSE) }) },
  { weight: 2, arbitrary: fc.record({ pin: fc.constantFrom(...UNIVERSE) }) },
  { weight: 4, arbitrary: fc.record({ unpin: fc.constantFrom(...UNIVERSE) }) },
  { weight: 4, arbitrary: fc.record({ touch: keys }) },
  { weight: 1, arbitrary: fc.record({ abandon: keys }) },
  { weight: 1, arbitrary: fc.constantFrom("reclaim" as const, "reclaim" as const, "reset" as const) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** `expect(actual).toEqual(expected)`, whose comparison is slow and wanted only for its report. */
function agree(actual: unknown, expected: unknown): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
}

/** Runs the pool and the model side by side and compares all that can be seen after each step. */
class SideBySide {
  readonly events: OffloadingEvent[] = [];
  #held: number[] = [];
  #evictions = 0;

  constructor(
    readonly pool: PrimaryTier,
    readonly model: PoolModel,
  ) {}

  run(s: Step): void {
    if (s === "reclaim") this.#reclaim();
    else if (s === "reset") this.#reset();
    else if ("prepareStore" in s) this.#prepareStore(s.prepareStore);
    else if ("use" in s) {
      this.#touch(s.use);
      this.#prepareStore(s.use);
      this.#completeStore(s.use, true);
    } else if ("completeStore" in s) this.#completeStore(s.completeStore, s.success);
    else if ("prepareLoad" in s) this.#prepareLoad(s.prepareLoad);
    else if ("completeLoad" in s) this.#completeLoad(s.completeLoad);
    else if ("allocate" in s) this.#allocate(s.allocate);
    else if ("pin" in s) this.#pin(s.pin);
    else if ("unpin" in s) this.#unpin(s.unpin);
    else if ("touch" in s) this.#touch(s.touch);
    else this.#abandon(s.abandon);
    this.#compare();
  }

  #touch(asked: OffloadKey[]): void {
    this.pool.touch(asked);
    this.model.touch(asked);
  }

  #prepareStore(asked: OffloadKey[]): void {
    const expected = this.model.prepareStore(asked);
    const actual = this.pool.prepareStore(asked);
    agree(actual && { stored: actual.keysToStore, evicted: actual.evictedKeys }, expected);
    if (actual === null || expected === null) return;
    agree(
      [...actual.blockIds],
      actual.keysToStore.map((key) => this.pool.slotOf(key)),
    );
    this.#evictions += expected.evicted.length;
    this.#expectEvent(expected.evicted, true);
  }

  #completeStore(asked: OffloadKey[], success: boolean): void {
    this.pool.completeStore(asked, success);
    const ended = this.model.completeStore(asked, success);
    this.#expectEvent(success ? ended : [], false);
  }

  #prepareLoad(asked: OffloadKey[]): void {
    if (!this.model.prepareLoad(asked)) this.#expectRefusal(() => this.pool.prepareLoad(asked));
    else {
      agree(
        [...this.pool.prepareLoad(asked)],
        asked.map((key) => this.pool.slotOf(key)),
      );
    }
  }

  #completeLoad(asked: OffloadKey[]): void {
    if (this.model.completeLoad(asked)) this.pool.completeLoad(asked);
    else this.#expectRefusal(() => this.pool.completeLoad(asked));
  }

  #allocate(key: OffloadKey): void {
    const expected = this.model.prepareStore([key]);
    const slot = this.pool.allocate(key);
    expect(slot === undefined).toBe(expected === null || expected.stored.length === 0);
    if (slot === undefined || expected === null) return;
    expect(this.pool.slotOf(key)).toBe(slot);
    this.#evictions += expected.evicted.length;
    this.#expectEvent(expected.evicted, true);
  }

  #pin(key: OffloadKey): void {
    const slot = this.pool.slotOf(key);
    if (slot === undefined) return;
    if (this.model.prepareLoad([key])) this.pool.pin(slot);
    else this.#expectRefusal(() => this.pool.pin(slot));
  }

  #unpin(key: OffloadKey): void {
    const slot = this.pool.slotOf(key);
    if (slot === undefined) return;
    if (this.model.releasePins([key])) this.pool.unpin(slot);
    else this.#expectRefusal(() => this.pool.unpin(slot));
  }

  #abandon(asked: OffloadKey[]): void {
    const before = asked.map((key) => this.pool.slotOf(key));
    const slots = [...this.pool.abandonStore(asked)];
    const ended = this.model.completeStore(asked, false);
    agree(
      slots,
      ended.map((key) => before[asked.indexOf(key as OffloadKey)]),
    );
    this.model.held += slots.length;
    this.#held.push(...slots);
  }

  #reclaim(): void {
    this.pool.reclaimSlots(Int32Array.from(this.#held));
    if (this.#held.length > 0) this.#expectRefusal(() => this.pool.reclaimSlots(Int32Array.from(this.#held)));
    this.model.held = 0;
    this.#held = [];
  }

  #reset(): void {
    const inUse = this.model
      .keysWith((refs) => refs !== 0)
      .map((key) => ({ key, slot: this.pool.slotOf(key as OffloadKey) ?? -1, pins: this.model.refs.get(key) }))
      .sort((a, b) => a.slot - b.slot);
    agree(this.pool.reset(), inUse);
    this.model.reset();
    this.model.held += inUse.length;
    this.#held.push(...inUse.map(({ slot }) => slot));
  }

  #expectRefusal(call: () => unknown): void {
    let thrown: unknown;
    try {
      call();
    } catch (error) {
      thrown = error;
    }
    if (!KvTierError.is(thrown, "INVALID_STATE")) expect(thrown).toMatchObject({ code: "INVALID_STATE" });
  }

  #expectEvent(eventKeys: string[], removed: boolean): void {
    agree(this.pool.takeEvents(), eventKeys.length === 0 ? [] : [{ keys: eventKeys, medium: "CPU", removed }]);
  }

  #compare(): void {
    const { pool, model } = this;
    const slots = model.keysWith(() => true).map((key) => pool.slotOf(key as OffloadKey));
    const inUse = [...slots, ...this.#held];
    const slotsAreFine =
      new Set(inUse).size === inUse.length &&
      inUse.every((slot) => slot !== undefined && slot >= 0 && slot < model.capacity);
    const actual = {
      refs: UNIVERSE.map((key) => pool.refCount(key) ?? "absent"),
      slotsAreFine,
      resident: pool.residentBlocks,
      idle: pool.idleBlocks,
      pinned: pool.pinnedBlocks,
      writing: pool.writingBlocks,
      free: pool.freeBlocks,
      available: pool.availableBlocks,
      quarantined: pool.quarantinedBlocks,
      evictions: pool.evictions,
    };
    const idle = model.keysWith((refs) => refs === 0).length;
    const expected = {
      refs: UNIVERSE.map((key) => model.refs.get(key) ?? "absent"),
      slotsAreFine: true,
      resident: model.refs.size,
      idle,
      pinned: model.keysWith((refs) => refs > 0).length,
      writing: model.keysWith((refs) => refs < 0).length,
      free: model.free,
      available: model.free + idle,
      quarantined: model.held,
      evictions: this.#evictions,
    };
    agree(actual, expected);
  }
}

describe.each([
  ["lru", (capacity: number) => new LruModel(capacity)],
  ["arc", (capacity: number) => new ArcModel(capacity)],
] as const)("the primary pool with %s", (evictionPolicy, createModel) => {
  it("agrees with a plain model of its rules in any order of calls", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.array(step, { minLength: 1, maxLength: 150, size: "max" }),
        (numBlocks, steps) => {
          const pool = new PrimaryTier({ numBlocks, evictionPolicy, recordEvents: true });
          const both = new SideBySide(pool, createModel(numBlocks));
          for (const s of steps) both.run(s);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
