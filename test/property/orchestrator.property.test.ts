import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { EvictionPolicyName } from "../../src/contracts/offloading-spec.js";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { keyOf, request, settle } from "../unit/orchestrator/step-rig.js";
import { Caller, KEYS, REQUESTS } from "./orchestrator-caller.js";
import type { Ending } from "./orchestrator-fuzz.js";

const request4 = fc.nat(REQUESTS - 1).map((n) => `r${n}`);
const key = fc.nat(KEYS - 1).map(keyOf);
const ending = fc.constantFrom<Ending>(
  ...([
    "success",
    "success",
    "success",
    "failure",
    "partial",
    "late",
    "garbage",
    "foreign",
    "twice",
    "dropped",
  ] as const),
);
const index = fc.nat(7);

type Command = (caller: Caller) => void | Promise<unknown>;

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(request4, key, fc.boolean()).map(
      ([r, k, keep]): Command =>
        (c) =>
          c.look(r, k, keep),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(request4, fc.uniqueArray(key, { minLength: 1, maxLength: 4 })).map(
      ([r, keys]): Command =>
        (c) =>
          c.prepare(r, keys),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(index, fc.boolean()).map(
      ([i, ok]): Command =>
        (c) =>
          c.complete(i, ok || i > 2),
    ),
  },
  {
    weight: 4,
    arbitrary: index.map(
      (i): Command =>
        (c) =>
          c.unpin(i),
    ),
  },
  { weight: 5, arbitrary: fc.constant<Command>((c) => c.step()) },
  {
    weight: 6,
    arbitrary: fc.tuple(fc.nat(1), index, ending).map(
      ([t, i, how]): Command =>
        (c) =>
          c.tiers[t]?.end(i % Math.max(1, c.tiers[t]?.open.length ?? 0), how),
    ),
  },
  {
    weight: 2,
    arbitrary: request4.map(
      (r): Command =>
        (c) =>
          c.manager.onRequestFinished(request(r)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(key, request4).map(
      ([k, r]): Command =>
        (c) =>
          c.manager.touch([k], request(r)),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(request4, key).map(
      ([r, k]): Command =>
        (c) =>
          c.manager.stopWaiting([k], request(r)),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Command>((c) => c.clock.advance(2)) },
  {
    weight: 1,
    arbitrary: fc.constant<Command>(async (c) => {
      for (const tier of c.tiers) tier.late.shift()?.();
      await settle();
    }),
  },
  {
    weight: 1,
    arbitrary: fc.boolean().map(
      (tiers): Command =>
        (c) =>
          c.manager.resetCache({ tiers, deadlineS: 0 }).catch((error: unknown) => {
            if (!KvTierError.is(error, "INVALID_STATE")) throw error;
            c.manager.failMisreportedJobs();
          }),
    ),
  },
);

const setup = fc.record({
  blocks: fc.integer({ min: 1, max: 7 }),
  policy: fc.constantFrom<EvictionPolicyName>("lru", "arc"),
  deadline: fc.constantFrom(undefined, 3),
});

async function run(caller: Caller, commands: readonly Command[]): Promise<void> {
  for (const each of commands) {
    await each(caller);
    caller.checkInvariants();
  }
}

describe("TieringOffloadingManager, whatever callers and tiers do", () => {
  it("serves no wrong byte, loses no slot, and tells each tier of each request's end once, after its last submit", async () => {
    await fc.assert(
      fc.asyncProperty(
        setup,
        fc.array(command, { maxLength: 120, size: "max" }),
        async ({ blocks, policy, deadline }, commands) => {
          const caller = new Caller(blocks, policy, deadline);
          await run(caller, commands);
          await caller.windUp();
        },
      ),
      { numRuns: 300 },
    );
  });

  it("lets go of everything after a shutdown in the middle, but what callers still hold", async () => {
    await fc.assert(
      fc.asyncProperty(
        setup,
        fc.array(command, { maxLength: 60, size: "max" }),
        async ({ blocks, policy }, commands) => {
          const caller = new Caller(blocks, policy, undefined);
          await run(caller, commands);
          await caller.manager.shutdown().catch((error: unknown) => {
            if (!KvTierError.is(error, "SHUTDOWN_FAILED")) throw error;
            caller.manager.failMisreportedJobs();
          });
          expect(() => caller.manager.lookup(keyOf(0), request())).toThrow(/closed/);
          while (caller.tickets.length > 0) caller.complete(0, true);
          while (caller.pinned.length > 0) caller.unpin(0);
          for (let i = 0; i < REQUESTS; i++) caller.manager.onRequestFinished(request(`r${i}`));
          for (const tier of caller.tiers) for (const settleLate of tier.late.splice(0)) settleLate();
          await settle();
          caller.checkInvariants();
          expect(caller.manager.getStats().primary.busyBlocks).toBe(0);
          expect(caller.manager.hasPendingWork()).toBe(false);
        },
      ),
      { numRuns: 120 },
    );
  });
});
