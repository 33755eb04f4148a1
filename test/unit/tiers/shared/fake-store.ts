import type { OffloadKey } from "../../../../src/contracts/offload-key.js";
import { silentLogger } from "../../../../src/contracts/logger.js";
import { makeOffloadKey } from "../../../../src/contracts/offload-key.js";
import type { RequestContext } from "../../../../src/contracts/request-context.js";
import type { JobResult } from "../../../../src/contracts/transfer-job.js";
import type { TierContext } from "../../../../src/contracts/tier-context.js";
import type { TransferJob } from "../../../../src/contracts/transfer-job.js";
import { createTestSpec } from "../../../../src/testing/create-test-spec.js";
import { createTierContext } from "../../../../src/testing/create-tier-context.js";
import { ManualClock } from "../../../../src/testing/manual-clock.js";
import { BlockStoreTier } from "../../../../src/tiers/shared/block-store-tier.js";
import { asError } from "../../../../src/tiers/shared/checked-io.js";
import { DEFAULT_BLOCK_STORE_LIMITS, type BlockStoreLimits } from "../../../../src/tiers/shared/block-store-limits.js";

export const keyOf = (n: number): OffloadKey => makeOffloadKey(n.toString(16).padStart(8, "0"));
export const request = (reqId = "r"): RequestContext => ({ reqId });
export const STEP = { newReqIds: [], preemptedReqIds: [] };

let jobIds = 0;
/** A job for the blocks `ns`: key n in slot n, unless `slots` says otherwise. */
export function jobOf(ns: readonly number[], slots: readonly number[] = ns, reqId = "r"): TransferJob {
  return {
    jobId: jobIds++,
    keys: ns.map(keyOf),
    blockIds: Int32Array.from(slots),
    isPromotion: false,
    reqContext: request(reqId),
    submitTime: 0,
  };
}

/** One call of a tier's author method that is out, to be ended by the test. */
export interface Call {
  readonly key: OffloadKey;
  readonly bytes: Uint8Array;
  readonly signal: AbortSignal;
  resolve(): void;
  reject(error: Error): void;
}

/** A tier whose every read and write waits for the test, and whose look-ups the test answers. */
export class FakeStore extends BlockStoreTier {
  readonly writes: Call[] = [];
  readonly reads: Call[] = [];
  readonly probes: { keys: readonly OffloadKey[]; ctx: RequestContext; answer(value: unknown): void }[] = [];
  readonly stored = new Map<OffloadKey, Uint8Array>();
  readonly #limits: BlockStoreLimits;

  constructor(context: TierContext, limits: Partial<BlockStoreLimits> = {}) {
    super(context);
    this.#limits = { ...DEFAULT_BLOCK_STORE_LIMITS, ...limits };
  }

  protected override get limits(): BlockStoreLimits {
    return this.#limits;
  }

  /** Ends every write that is out. */
  endWrites(): void {
    for (const write of this.writes.splice(0)) write.resolve();
  }

  /** Ends every read that is out. */
  endReads(): void {
    for (const read of this.reads.splice(0)) read.resolve();
  }

  /** Stores the blocks of `ns` at once, from the slots of the same numbers. */
  async hold(...ns: number[]): Promise<void> {
    this.submitStore(jobOf(ns));
    while (this.writes.length > 0) {
      this.endWrites();
      await settle();
    }
    this.getFinishedJobs();
  }

  clearAll(): void {
    this.stored.clear();
    this.forgetLookups();
  }

  /** Asks for block n on behalf of a request. */
  ask(n: number, reqId = "r"): string {
    return this.lookup(keyOf(n), request(reqId));
  }

  exists(keys: readonly OffloadKey[], ctx: RequestContext): Promise<boolean[]> {
    return new Promise((resolve) => this.probes.push({ keys, ctx, answer: (value) => resolve(value as boolean[]) }));
  }

  write(key: OffloadKey, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    return held(this.writes, { key, bytes, signal }, () => this.stored.set(key, new Uint8Array(bytes)));
  }

  read(key: OffloadKey, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    return held(this.reads, { key, bytes, signal }, () => {
      const block = this.stored.get(key);
      if (block === undefined) throw new Error("absent");
      bytes.set(block);
    });
  }
}

function held(calls: Call[], what: Pick<Call, "key" | "bytes" | "signal">, work: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    calls.push({
      ...what,
      reject,
      resolve: () => {
        try {
          work();
          resolve();
        } catch (error) {
          reject(asError(error));
        }
      },
    });
  });
}

export interface OpenStore {
  readonly tier: FakeStore;
  readonly clock: ManualClock;
  /** Messages of the warnings so far. */
  readonly warnings: string[];
  /** How often the driver was told. */
  notified: number;
  /** The bytes of a slot. */
  readonly slot: (blockId: number) => Uint8Array;
  /** Lets everything settle, and collects the results. */
  readonly results: () => Promise<JobResult[]>;
}

/** A {@link FakeStore} with a pool of 64 blocks of 16 bytes; slot n holds the byte n + 1. */
export function openStore(limits: Partial<BlockStoreLimits> = {}, overrides: Partial<TierContext> = {}): OpenStore {
  const clock = new ManualClock(100);
  const warnings: string[] = [];
  const context = createTierContext({
    clock,
    offloadingSpec: createTestSpec({ blockBytes: 16 }),
    logger: { ...silentLogger, warn: (message) => void warnings.push(message) },
    notify: () => void open.notified++,
    ...overrides,
  });
  const tier = new FakeStore(context, limits);
  const slot = (blockId: number): Uint8Array => context.primaryKvView.block(blockId);
  for (let n = 0; n < 64; n++) slot(n).fill(n + 1);
  const results = async (): Promise<JobResult[]> => {
    await settle();
    return tier.getFinishedJobs();
  };
  const open: OpenStore = { tier, clock, warnings, notified: 0, slot, results };
  return open;
}

/** Lets every promise that can settle, settle. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
