import { Inject, Injectable, Module, type OnModuleDestroy, type OnModuleInit } from "@nestjs/common";
import { afterEach, describe, expect, it } from "@jest/globals";
import { createTiering } from "../../src/cache/create-tiering.js";
import type { KvCache } from "../../src/cache/kv-cache.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { getKvCacheToken, InjectKvCache, KvTierModule } from "../../src/nest/index.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { HeldTier } from "../../src/testing/held-tier.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { tierToken, TOKENS } from "../../src/tokens.js";
import { cacheModule, nestBlock, nestConfig, nestKeys, startApp, turn } from "../support/nest-app.js";
import { recordingLogger } from "../support/recording-logger.js";
import { openFilesBelow, withTempFolder } from "../support/temp-folder.js";

const order: string[] = [];
afterEach(() => void order.splice(0));

/** Writes down when it is drained and closed. */
class NotingTier extends HeldTier {
  readonly #name: string;
  constructor(name: string) {
    super(createTierContext());
    this.#name = name;
    this.holdsDrains = false;
  }
  override async drainJobs(options?: { deadlineS?: number }): ReturnType<HeldTier["drainJobs"]> {
    order.push(`${this.#name}: drain`);
    return super.drainJobs(options);
  }
  override async shutdown(): Promise<void> {
    order.push(`${this.#name}: shutdown`);
    await super.shutdown();
  }
}

const notingModule = (name?: string): ReturnType<typeof cacheModule> =>
  cacheModule({
    ...(name !== undefined && { name }),
    configure: (container) =>
      void container.rebind(tierToken("example")).toConstantValue(new NotingTier(name ?? "default")),
  });

/** Nest gets to the first hooks without waiting for anything but promises. */
async function firstPhase(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

async function put(cache: KvCache, i: number): Promise<number> {
  return cache.put(nestKeys(1, i), [nestBlock(i)]);
}

describe("app.close()", () => {
  it("takes no more stores, then lets those that are out end, then closes the tiers", async () => {
    const tier = new NotingTier("default");
    const app = await startApp({ imports: [cacheModule()] }, (builder) =>
      builder.overrideProvider(tierToken("example")).useValue(tier),
    );
    const cache = app.get<KvCache>(getKvCacheToken());
    await put(cache, 1);
    const closing = app.close();
    await firstPhase();
    expect([await put(cache, 2), cache.reserve(nestKeys(1, 3))]).toEqual([0, null]);
    expect(await cache.get(nestKeys(1, 1))).toEqual([nestBlock(1)]);
    expect(order).toEqual([]);
    tier.release();
    await closing;
    expect(order).toEqual(["default: drain", "default: shutdown"]);
    expect(cache.stats().tiers).toMatchObject([{ cascadeFailures: 0, bytesWritten: tier.blockBytes }]);
    await expect(cache.get(nestKeys(1, 1))).rejects.toMatchObject({ code: "CLOSED" });
  });

  it("waits for tickets that are out, and stores what is committed by them", async () => {
    const tier = new NotingTier("default");
    const app = await startApp({ imports: [cacheModule()] }, (builder) =>
      builder.overrideProvider(tierToken("example")).useValue(tier),
    );
    const cache = app.get<KvCache>(getKvCacheToken());
    const ticket = cache.reserve(nestKeys(1, 2));
    const closing = app.close();
    await firstPhase();
    expect(order).toEqual([]);
    ticket?.blocks[0]?.set(nestBlock(2));
    ticket?.commit();
    await firstPhase();
    tier.release();
    await closing;
    expect(cache.stats().tiers).toMatchObject([{ cascadeFailures: 0, bytesWritten: tier.blockBytes }]);
  });

  it("waits no longer than the deadline for a ticket that nobody commits", async () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    const app = await startApp({ imports: [cacheModule({ logger, clock, shutdownDeadlineS: 4 }, nestConfig())] });
    app.get<KvCache>(getKvCacheToken()).reserve(nestKeys(1, 2));
    const closing = app.close();
    while (clock.pendingTimers === 0) await turn();
    clock.advance(4);
    await closing;
    expect(lines).toMatchObject([{ level: "warn", fields: { tickets: 1, unfinished: {} } }]);
  });

  it("closes a cache once, however often and at once it is called", async () => {
    const app = await startApp({ imports: [notingModule()] });
    await Promise.all([app.close(), app.close()]);
    await app.close();
    expect(order).toEqual(["default: drain", "default: shutdown"]);
  });

  it("closes a cache after everything that has it injected", async () => {
    @Injectable()
    class Sessions implements OnModuleDestroy {
      readonly #cache: KvCache;
      constructor(@InjectKvCache() cache: KvCache) {
        this.#cache = cache;
      }
      async onModuleDestroy(): Promise<void> {
        order.push(`stored at the end: ${await put(this.#cache, 9)}`);
      }
    }
    @Module({ imports: [notingModule()], providers: [Sessions] })
    class Feature {}
    const app = await startApp({ imports: [Feature] });
    await app.close();
    expect(order).toEqual(["stored at the end: 1", "default: drain", "default: shutdown"]);
  });

  it("closes a cache that was made from another one before that one", async () => {
    const base = notingModule();
    const dependent = KvTierModule.forRootAsync({
      name: "dependent",
      imports: [base],
      inject: [getKvCacheToken()],
      useFactory: (_cache: KvCache) => ({
        config: nestConfig([{ type: "example" }]),
        logger: silentLogger,
        configure: (container) =>
          void container.rebind(tierToken("example")).toConstantValue(new NotingTier("dependent")),
      }),
    });
    const app = await startApp({ imports: [base, dependent] });
    await app.close();
    expect(order.filter((entry) => entry.endsWith("shutdown"))).toEqual(["dependent: shutdown", "default: shutdown"]);
  });

  it("goes on to close everything else when a tier fails to, and logs it", async () => {
    const { logger, lines } = recordingLogger();
    const failing = Object.assign(new NotingTier("default"), {
      shutdown: () => Promise.reject(new Error("no answer")),
    });
    const app = await startApp({ imports: [notingModule("draft"), cacheModule({ logger })] }, (builder) =>
      builder.overrideProvider(tierToken("example")).useValue(failing),
    );
    await app.close();
    expect(lines).toMatchObject([
      { level: "error", message: "Not everything has closed cleanly.", fields: { cache: "default" } },
    ]);
    expect(JSON.stringify(lines[0]?.fields)).toContain("no answer");
  });

  it("gives up a tier that hangs, at the deadline, and says what was not stored", async () => {
    const clock = new ManualClock();
    const { logger, lines } = recordingLogger();
    class HungTier extends HeldTier {
      override drainJobs(): Promise<never> {
        return new Promise(() => {});
      }
      override shutdown(): Promise<never> {
        return new Promise(() => {});
      }
    }
    const module = cacheModule({ logger, shutdownDeadlineS: 4 });
    const app = await startApp({ imports: [module] }, (builder) =>
      builder
        .overrideProvider(TOKENS.clock)
        .useValue(clock)
        .overrideProvider(tierToken("example"))
        .useValue(new HungTier(createTierContext())),
    );
    await put(app.get(getKvCacheToken()), 1);
    let isClosed = false;
    const closing = app.close().then(() => (isClosed = true));
    while (clock.pendingTimers === 0) await turn();
    clock.advance(4);
    // What is left are the seconds of grace for its drain and for its close.
    while (!isClosed && clock.now() < 60) {
      await turn();
      if (clock.pendingTimers > 0) clock.advance(1);
    }
    await closing;
    expect(clock.now()).toBeLessThanOrEqual(7);
    expect(lines.map(({ level }) => level)).toEqual(["warn", "error"]);
    expect(lines[0]?.fields).toEqual({ cache: "default", tickets: 0, unfinished: { "1:example": 1 } });
  });
});

describe("shutdownDeadlineS", () => {
  it.each([
    ["10" as unknown as number, '"10"'],
    [-1, "-1"],
    [NaN, "NaN"],
  ])("is not %p", async (shutdownDeadlineS, shown) => {
    const starting = startApp({ imports: [cacheModule({ shutdownDeadlineS })] });
    await expect(starting).rejects.toThrow(`shutdownDeadlineS: must be a number of seconds, 0 or more; got ${shown}`);
  });
});

describe("app.close() under load", () => {
  it("loses no block that was put or committed: every one is in the folder afterwards", async () => {
    await withTempFolder(async (folder) => {
      const config = nestConfig([{ type: "fs", root_dir: folder }], 512);
      const app = await startApp({ imports: [cacheModule({}, config)] });
      const cache = app.get<KvCache>(getKvCacheToken());
      const stored: number[] = [];
      let next = 0;
      const client = async (): Promise<void> => {
        for (;;) {
          const i = next++;
          const isByTicket = i % 2 === 0;
          const ticket = isByTicket ? cache.reserve(nestKeys(1, i)) : null;
          if (isByTicket) {
            if (ticket === null) return;
            await turn();
            ticket.blocks[0]?.set(nestBlock(i));
            ticket.commit();
          } else if ((await put(cache, i)) === 0) return;
          stored.push(i);
        }
      };
      const clients = Promise.all(Array.from({ length: 8 }, client));
      while (stored.length < 200) await turn();
      await app.close();
      await clients;
      expect(await openFilesBelow(folder)).toEqual([]);

      const { cache: reopened, close } = await createTiering(config, { logger: silentLogger });
      for (const i of stored) {
        const [block] = await reopened.get(nestKeys(1, i));
        expect([i, block && Buffer.compare(block, nestBlock(i))]).toEqual([i, 0]);
      }
      await close();
    });
  });
});

describe("An application that does not start", () => {
  it("closes the caches that are open already", async () => {
    const broken = cacheModule({ name: "broken" }, nestConfig([{ type: "fs", root_dir: "/dev/null/kv" }]));
    await expect(startApp({ imports: [notingModule(), broken] })).rejects.toMatchObject({ code: "TIER_INIT_FAILED" });
    expect(order).toEqual(["default: drain", "default: shutdown"]);
  });

  it("closes a cache, too, that is open only after another one has failed", async () => {
    let closed = (): void => {};
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    class LateTier extends NotingTier {
      override async initialize(): Promise<void> {
        for (let i = 0; i < 100; i++) await turn();
      }
      override async shutdown(): Promise<void> {
        await super.shutdown();
        closed();
      }
    }
    const late = cacheModule({
      configure: (container) => void container.rebind(tierToken("example")).toConstantValue(new LateTier("late")),
    });
    const broken = cacheModule({
      name: "broken",
      configure: () => {
        throw new Error("not today");
      },
    });
    await expect(startApp({ imports: [late, broken] })).rejects.toThrow("not today");
    await isClosed;
    expect(order).toEqual(["late: drain", "late: shutdown"]);
  });

  it("is closed as any other when something else fails once the caches are there", async () => {
    @Injectable()
    class Failing implements OnModuleInit {
      constructor(@Inject(getKvCacheToken()) readonly cache: KvCache) {}
      onModuleInit(): void {
        throw new Error("no database");
      }
    }
    const { Test } = await import("@nestjs/testing");
    const app = await Test.createTestingModule({ imports: [notingModule()], providers: [Failing] }).compile();
    await expect(app.init()).rejects.toThrow("no database");
    await app.close();
    expect(order).toEqual(["default: drain", "default: shutdown"]);
  });
});
