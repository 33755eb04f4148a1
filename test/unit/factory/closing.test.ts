import { describe, expect, it } from "@jest/globals";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import type { KvTierError } from "../../../src/errors/kv-tier-error.js";
import type { SecondaryTierFactory } from "../../../src/factory/secondary-tier-factory.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { tierToken } from "../../../src/tokens.js";
import { testContainer } from "../../support/tiering-container.js";

interface Diary {
  readonly lines: string[];
  /** Settles the `initialize` of tiers that wait. */
  readonly gate?: Promise<void>;
}

/** Writes into the diary of its config. */
@SecondaryTier("diarist", { config: "passthrough" })
class DiaristTier extends HeldTier {
  get #config(): { name: string; diary: Diary; fails?: boolean } {
    return (this.context as TierContext<{ name: string; diary: Diary }>).config;
  }

  override async initialize(): Promise<void> {
    this.#config.diary.lines.push(`open ${this.#config.name}`);
    await this.#config.diary.gate;
  }

  override async shutdown(): Promise<void> {
    this.#config.diary.lines.push(`close ${this.#config.name}`);
    if (this.#config.fails === true) throw new Error(`${this.#config.name} is stuck`);
  }
}

/** An instance by identity, as a live handle is: kept as it is in pass-through options. */
class LiveDiary implements Diary {
  readonly lines: string[] = [];
  readonly gate?: Promise<void>;
  constructor(gate?: Promise<void>) {
    if (gate !== undefined) this.gate = gate;
  }
}

const create = (factory: SecondaryTierFactory, diary: Diary, name: string, fails = false) =>
  factory.createSecondaryTier({ type: "diarist", name, diary, fails });

describe("SecondaryTierFactory.close", () => {
  it("closes what it created, newest first, once however often it is called", async () => {
    const { factory } = testContainer({ tiers: [DiaristTier] });
    const diary = new LiveDiary();
    for (const name of ["a", "b", "c"]) await create(factory, diary, name);
    await Promise.all([factory.close(), factory.close()]);
    await factory.close();
    expect(diary.lines.slice(3)).toEqual(["close c", "close b", "close a"]);
  });

  it("tries every tier, then throws SHUTDOWN_FAILED with all errors; a second call does not throw", async () => {
    const { factory } = testContainer({ tiers: [DiaristTier] });
    const diary = new LiveDiary();
    for (const [name, fails] of [
      ["a", true],
      ["b", false],
      ["c", true],
    ] as const)
      await create(factory, diary, name, fails);
    const error = await factory.close().then(
      () => undefined,
      (reason: unknown) => reason as KvTierError,
    );
    expect(error?.code).toBe("SHUTDOWN_FAILED");
    expect(error?.message).toBe("Secondary tiers: 2 failed to shut down: c is stuck; a is stuck");
    expect(error?.errors).toEqual([new Error("c is stuck"), new Error("a is stuck")]);
    expect(diary.lines.slice(3)).toEqual(["close c", "close b", "close a"]);
    await expect(factory.close()).resolves.toBeUndefined();
  });

  it("creates nothing afterwards", async () => {
    const { factory } = testContainer();
    await factory.close();
    await expect(factory.createSecondaryTier({ type: "example" })).rejects.toMatchObject({
      code: "CLOSED",
      message: "The secondary tier factory is closed. Create a new one.",
    });
  });

  it("leaves no tier open that was being created meanwhile", async () => {
    const { factory } = testContainer({ tiers: [DiaristTier] });
    let open = (): void => undefined;
    const diary = new LiveDiary(new Promise((resolve) => (open = resolve)));
    const creation = create(factory, diary, "late");
    const outcome = expect(creation).rejects.toMatchObject({ code: "CLOSED" });
    while (diary.lines.length === 0) await new Promise(setImmediate);
    await factory.close();
    expect(diary.lines).toEqual(["open late"]);
    open();
    await outcome;
    expect(diary.lines).toEqual(["open late", "close late"]);
  });

  it("does not initialize a tier that was only constructed by then", async () => {
    const { factory, container } = testContainer({ tiers: [DiaristTier] });
    const diary = new LiveDiary();
    let construct = (): void => undefined;
    const gate = new Promise<void>((resolve) => (construct = resolve));
    container.rebind(tierToken("diarist")).toDynamicValue(async (context) => {
      await gate;
      return new DiaristTier(context.get("kv.tier-context"));
    });
    const outcome = expect(create(factory, diary, "late")).rejects.toMatchObject({ code: "CLOSED" });
    await factory.close();
    construct();
    await outcome;
    expect(diary.lines).toEqual(["close late"]);
  });
});

describe("SecondaryTierFactory.closeTier", () => {
  it("closes one tier, and close leaves that alone", async () => {
    const { factory } = testContainer({ tiers: [DiaristTier] });
    const diary = new LiveDiary();
    const first = await create(factory, diary, "a");
    await create(factory, diary, "b");
    await Promise.all([factory.closeTier(first), factory.closeTier(first)]);
    await factory.closeTier(first);
    await factory.close();
    expect(diary.lines.slice(2)).toEqual(["close a", "close b"]);
  });

  it("rejects with what the tier's shutdown rejects with, and close does not tell of it again", async () => {
    const { factory } = testContainer({ tiers: [DiaristTier] });
    const tier = await create(factory, new LiveDiary(), "a", true);
    await expect(factory.closeTier(tier)).rejects.toThrow("a is stuck");
    await expect(factory.close()).resolves.toBeUndefined();
  });

  it("leaves a tier alone that it did not make", async () => {
    const diary = new LiveDiary();
    const { factory } = testContainer({ tiers: [DiaristTier] });
    const other = testContainer({ tiers: [DiaristTier] });
    const tier = await create(other.factory, diary, "foreign");
    await factory.closeTier(tier);
    expect(diary.lines).toEqual(["open foreign"]);
  });
});

describe("an instance that a binding delivers more than once", () => {
  it("is opened once and closed once, and may be opened again after that", async () => {
    const { factory, container } = testContainer({ tiers: [DiaristTier] });
    const diary = new LiveDiary();
    const instance = (await create(testContainer({ tiers: [DiaristTier] }).factory, diary, "one")) as DiaristTier;
    diary.lines.length = 0;
    container.rebind(tierToken("diarist")).toConstantValue(instance);
    const config = { type: "diarist" };
    const [first, second] = await Promise.all([
      factory.createSecondaryTier(config),
      factory.createSecondaryTier(config),
    ]);
    expect(first).toBe(instance);
    expect(second).toBe(instance);
    await factory.closeTier(instance);
    expect(diary.lines).toEqual(["open one", "close one"]);
    await factory.createSecondaryTier(config);
    await factory.close();
    expect(diary.lines).toEqual(["open one", "close one", "open one", "close one"]);
  });
});
