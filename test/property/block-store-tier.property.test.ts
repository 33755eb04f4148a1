import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { JobResult, TransferJob } from "../../src/contracts/transfer-job.js";
import { jobOf, keyOf, openStore, request, settle, STEP, type OpenStore } from "../unit/tiers/shared/fake-store.js";

const KEYS = 6;
const SLOTS = 32;
/** What a slot holds that belongs to nobody: whoever reads it then, reads a wrong byte. */
const FREE = 0xff;

type Action =
  | { do: "store" | "load"; ns: number[] }
  | { do: "endWrite" | "endRead"; pick: number; ok: boolean }
  | { do: "endProbe"; pick: number; answer: "true" | "wrong" }
  | { do: "advance"; seconds: number }
  | { do: "ask"; n: number; req: number }
  | { do: "finish"; req: number }
  | { do: "step" | "clear" };

const pick = fc.nat({ max: 20 });
const ns = fc.uniqueArray(fc.nat({ max: KEYS - 1 }), { maxLength: 4 });
const req = fc.nat({ max: 3 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constantFrom("store" as const, "load" as const), ns }),
  fc.record({ do: fc.constantFrom("endWrite" as const, "endRead" as const), pick, ok: fc.boolean() }),
  fc.record({ do: fc.constant("endProbe" as const), pick, answer: fc.constantFrom("true" as const, "wrong" as const) }),
  fc.record({ do: fc.constant("advance" as const), seconds: fc.nat({ max: 12 }) }),
  fc.record({ do: fc.constant("ask" as const), n: fc.nat({ max: KEYS - 1 }), req }),
  fc.record({ do: fc.constant("finish" as const), req }),
  fc.record({ do: fc.constantFrom("step" as const, "step" as const, "clear" as const) }),
);
const limits = fc.record({
  concurrency: fc.integer({ min: 1, max: 4 }),
  batchBlocks: fc.integer({ min: 1, max: 3 }),
  maxQueuedBlocks: fc.integer({ min: 1, max: 6 }),
  deadlineS: fc.constant(10),
});

/** Plays the orchestrator: owns the slots, pins them for a job, and takes them back when the tier has let go. */
class Owner {
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => slot);
  readonly #jobs = new Map<number, { job: TransferJob; isLoad: boolean }>();
  readonly #reported = new Set<number>();
  readonly #store: OpenStore;

  constructor(store: OpenStore) {
    this.#store = store;
    for (const slot of this.#free) store.slot(slot).fill(FREE);
  }

  get unreported(): number {
    return this.#jobs.size - this.#reported.size;
  }

  submit(isLoad: boolean, keys: readonly number[]): void {
    if (this.#free.length < keys.length) return;
    const slots = this.#free.splice(0, keys.length);
    const job = jobOf(keys, slots);
    keys.forEach((n, i) => this.#store.slot(slots[i] ?? -1).fill(isLoad ? 0 : n + 1));
    this.#jobs.set(job.jobId, { job, isLoad });
    if (isLoad) this.#store.tier.submitLoad(job);
    else this.#store.tier.submitStore(job);
  }

  async collect(): Promise<void> {
    for (const result of await this.#store.results()) this.#take(result);
  }

  #take(result: JobResult): void {
    const { job, isLoad } = this.#jobs.get(result.jobId) ?? {};
    expect(this.#reported.has(result.jobId)).toBe(false);
    this.#reported.add(result.jobId);
    if (job === undefined) throw new Error(`Job ${result.jobId} was never submitted.`);
    if (isLoad === true) this.#checkBytes(job, result.success ? job.keys : (result.successfulKeys ?? []));
    if (result.success) expect(result.blocksReleased).toBeUndefined();
    const release = (): void => {
      for (const slot of job.blockIds) this.#store.slot(slot).fill(FREE);
      this.#free.push(...job.blockIds);
    };
    if (result.blocksReleased === undefined) release();
    else void result.blocksReleased.then(release);
  }

  #checkBytes(job: TransferJob, loaded: readonly string[]): void {
    for (const key of loaded) {
      const i = job.keys.findIndex((own) => own === key);
      const n = Array.from({ length: KEYS }, (_, k) => k).find((k) => keyOf(k) === key);
      expect([...new Set(this.#store.slot(job.blockIds[i] ?? -1))]).toEqual([(n ?? -2) + 1]);
    }
  }

  /** Slots that somebody has written to after they were given back. */
  get spoilt(): number[] {
    return this.#free.filter((slot) => !this.#store.slot(slot).every((byte) => byte === FREE));
  }
}

function endCall(calls: OpenStore["tier"]["reads"], position: number, ok: boolean): void {
  const [call] = calls.splice(position % Math.max(1, calls.length), 1);
  if (ok) call?.resolve();
  else call?.reject(new Error("injected"));
}

async function perform(what: Action, { tier, clock }: OpenStore, owner: Owner): Promise<void> {
  switch (what.do) {
    case "store":
    case "load":
      return owner.submit(what.do === "load", what.ns);
    case "endWrite":
      return endCall(tier.writes, what.pick, what.ok);
    case "endRead":
      return endCall(tier.reads, what.pick, what.ok);
    case "endProbe": {
      const [probe] = tier.probes.splice(what.pick % Math.max(1, tier.probes.length), 1);
      return probe?.answer(what.answer === "true" ? probe.keys.map((key) => tier.stored.has(key)) : "nonsense");
    }
    case "advance":
      return clock.advance(what.seconds);
    case "ask":
      return void tier.ask(what.n, `r${what.req}`);
    case "finish":
      return tier.onRequestFinished(request(`r${what.req}`));
    case "step":
      return tier.onScheduleEnd(STEP);
    case "clear":
      return tier.clearAll();
  }
}

/** Lets everything come to its end: the calls that are out, and the requests. */
async function wind(store: OpenStore, owner: Owner): Promise<void> {
  const { tier } = store;
  for (let i = 0; i < 4; i++) tier.onRequestFinished(request(`r${i}`));
  tier.onScheduleEnd(STEP);
  while (tier.reads.length + tier.writes.length + tier.probes.length > 0) {
    for (const probe of tier.probes.splice(0)) probe.answer([]);
    tier.endReads();
    tier.endWrites();
    await owner.collect();
  }
  await owner.collect();
}

describe("BlockStoreTier, whatever its store does and whenever", () => {
  it("ends each job in one result, never brings a wrong byte or touches a slot it gave back, and keeps no state", async () => {
    await fc.assert(
      fc.asyncProperty(limits, fc.array(action, { maxLength: 60 }), async (bounds, actions) => {
        const store = openStore(bounds);
        const owner = new Owner(store);
        for (const what of actions) {
          await perform(what, store, owner);
          await owner.collect();
          const { queuedStores = NaN, running = NaN } = store.tier.getStats();
          if (queuedStores > bounds.maxQueuedBlocks || running > bounds.concurrency || owner.spoilt.length > 0) {
            expect({ queuedStores, running, spoilt: owner.spoilt }).toBe("within the bounds");
          }
        }
        await wind(store, owner);
        await settle();
        expect(owner.spoilt).toEqual([]);
        expect(owner.unreported).toBe(0);
        expect(store.tier.hasPendingWork()).toBe(false);
        const idle = { queuedLoads: 0, queuedStores: 0, running: 0, overdue: 0, lookupsInFlight: 0, lookupEntries: 0 };
        expect(store.tier.getStats()).toMatchObject(idle);
        expect(store.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
