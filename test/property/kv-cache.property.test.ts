import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { TierContext } from "../../src/contracts/tier-context.js";
import type { KvCache } from "../../src/cache/kv-cache.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { createTestTiering, type TestTiering } from "../../src/testing/create-test-tiering.js";
import { FaultyTier, type FaultOptions } from "../../src/testing/faulty-tier.js";
import { rebindTier } from "../../src/testing/rebind-tier.js";
import { ExampleTier } from "../../src/tiers/example/example-tier.js";
import { FsTier } from "../../src/tiers/fs/fs-tier.js";
import { withTempFolder } from "../support/temp-folder.js";
import { bytesOf, configOf, keyOf } from "../unit/cache/cache-rig.js";

const KEYS = 12;

/** Turns of the event loop after which something hangs: files are worked on by threads, in real time. */
const MAX_TURNS = 1_000_000;

/** One call of a user of the cache: a prefix of one of a few prompts. */
interface Call {
  readonly kind: "acquire" | "put" | "get" | "ticket" | "reset" | "flush";
  readonly from: number;
  readonly length: number;
  /** Turns of the event loop that what was acquired or reserved is kept for. */
  readonly keep: number;
  readonly deadline: boolean;
  readonly abort: boolean;
  readonly shared: boolean;
}

const call = fc.record<Call>({
  kind: fc.constantFrom("acquire", "acquire", "put", "put", "get", "ticket", "ticket", "reset", "flush"),
  from: fc.nat(KEYS - 1),
  length: fc.integer({ min: 1, max: 6 }),
  keep: fc.nat(5),
  deadline: fc.boolean(),
  abort: fc.constantFrom(false, false, false, true),
  shared: fc.constantFrom(false, false, true),
});

const faults = fc.record({
  seed: fc.nat(1000),
  errorRate: fc.constantFrom(0, 0.1, 0.5),
  delayS: fc.constantFrom(0, 0.2),
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await turn();
};

function expectOwn(n: number, block: Uint8Array | undefined): void {
  const own = bytesOf(n);
  if (block === undefined || !Buffer.from(block).equals(own)) expect(block && new Uint8Array(block)).toEqual(own);
}

async function perform(
  cache: KvCache,
  tiering: TestTiering,
  { kind, from, length, keep, ...rest }: Call,
): Promise<void> {
  const ns = Array.from({ length }, (_, i) => (from + i) % KEYS);
  const keys = ns.map(keyOf);
  const controller = new AbortController();
  if (rest.abort) void turns(keep).then(() => controller.abort(new Error("given up")));
  const options = {
    signal: controller.signal,
    ...(rest.deadline && { deadlineS: 0.1 }),
    ...(rest.shared && { requestId: `shared-${from % 2}` }),
  };
  try {
    if (kind === "acquire") {
      const lease = await cache.acquire(keys, options);
      for (let i = 0; i <= keep; i++) {
        lease.blocks.forEach((block, j) => expectOwn(ns[j] ?? -1, block));
        await turn();
      }
      lease.blocks.forEach((block, j) => expectOwn(ns[j] ?? -1, block));
      lease.release();
    } else if (kind === "get") {
      (await cache.get(keys, options)).forEach((block, j) => expectOwn(ns[j] ?? -1, block));
    } else if (kind === "put") {
      await cache.put(keys, ns.map(bytesOf), options);
    } else if (kind === "ticket") {
      const ticket = cache.reserve(keys, options);
      for (const block of ticket?.blocks ?? []) block.fill(0xdd);
      await turns(keep);
      ticket?.keys.forEach((key, i) => ticket.blocks[i]?.set(bytesOf(ns[keys.indexOf(key)] ?? -1)));
      if (rest.abort) ticket?.abort();
      else ticket?.commit();
    } else if (kind === "reset") await tiering.manager.resetCache({ tiers: rest.deadline, deadlineS: 0 });
    else await cache.flush();
  } catch (error) {
    if (!rest.abort || (error as Error).message !== "given up") throw error;
  }
}

/** Moves the clock while the calls are under way, so that deadlines pass and delayed results arrive. */
async function inTime(tiering: TestTiering, calls: Promise<unknown>, secondsPerTurn: number): Promise<void> {
  let isDone = false;
  const done = calls.finally(() => (isDone = true));
  done.catch(() => undefined);
  for (let i = 0; i < MAX_TURNS && !isDone; i++) {
    await turn();
    tiering.clock.advance(secondsPerTurn);
  }
  expect(isDone).toBe(true);
  await done;
}

async function expectQuiet({ cache, manager }: TestTiering): Promise<void> {
  for (let i = 0; i < MAX_TURNS && cache.stats().primary.busyBlocks > 0; i++) await turn();
  expect(cache.stats().primary.busyBlocks).toBe(0);
  for (const { activeCascades, activePromotions } of manager.getStats().tiers) {
    expect([activeCascades, activePromotions]).toEqual([0, 0]);
  }
}

/** @param secondsPerTurn how fast the clock runs; threads keep real time */
async function useConcurrently(
  tiering: TestTiering,
  rounds: readonly (readonly Call[])[],
  secondsPerTurn: number,
): Promise<void> {
  const finish = (calls: Promise<unknown>): Promise<void> => inTime(tiering, calls, secondsPerTurn);
  for (const calls of rounds) await finish(Promise.all(calls.map((each) => perform(tiering.cache, tiering, each))));
  await finish(tiering.cache.flush());
  await finish(turns(20));
  await expectQuiet(tiering);
  await finish(tiering.close());
}

const rounds = fc.array(fc.array(call, { minLength: 1, maxLength: 12, size: "max" }), { minLength: 1, maxLength: 4 });

describe("KvCache, used by many at once over tiers that fail", () => {
  it("serves no wrong byte, hangs nobody and leaves nothing pinned", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 2, max: 10 }), faults, rounds, async (blocks, options, each) => {
          const tiering = await createTestTiering(configOf(blocks, [{ type: "example" }, { type: "example" }]), {
            configure: (container) => rebindTier(container, "example", faultyExample(options)),
          });
          await useConcurrently(tiering, each, 0.02);
        }),
        { numRuns: 60 },
      );
    } finally {
      process.off("unhandledRejection", note);
    }
    expect(unhandled).toEqual([]);
  });

  it("does so over files", async () => {
    await withTempFolder(async (folder) => {
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 3, max: 8 }), faults, rounds, async (blocks, options, each) => {
          const config = configOf(blocks, [{ type: "fs", root_dir: `${folder}/${run++}` }]);
          const tiering = await createTestTiering(config, {
            configure: (container) => rebindTier(container, "fs", faultyFs(options)),
          });
          await useConcurrently(tiering, each, 0.0005);
        }),
        { numRuns: 4 },
      );
    });
  });
});

function faultyExample(options: FaultOptions): typeof FaultyTier {
  @SecondaryTier("faulty-example", { config: "passthrough" })
  class FaultyExample extends FaultyTier {
    constructor(context: TierContext<never>) {
      super(new ExampleTier(context), options);
    }
  }
  return FaultyExample as never;
}

function faultyFs(options: FaultOptions): typeof FaultyTier {
  @SecondaryTier("faulty-fs", { config: "passthrough" })
  class FaultyFs extends FaultyTier {
    constructor(context: TierContext<never>) {
      super(new FsTier(context), options);
    }
  }
  return FaultyFs as never;
}
