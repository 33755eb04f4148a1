import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../contracts/clock.js";
import { silentLogger } from "../../contracts/logger.js";
import { LookupResult } from "../../contracts/lookup-result.js";
import { makeOffloadKey, type OffloadKey } from "../../contracts/offload-key.js";
import type { SecondaryTierManager } from "../../contracts/secondary-tier-manager.js";
import type { JobResult, TransferJob } from "../../contracts/transfer-job.js";
import { PrimaryKvView } from "../../primary/primary-kv-view.js";
import { createTestSpec } from "../create-test-spec.js";
import { byteFault } from "./byte-fault.js";
import type { MakeTier, TierEnv } from "./tier-env.js";

/** Only for a tier that does not answer at all: below the time after which runners end a test themselves. */
const GIVE_UP_AFTER_S = 4;
/** Turns of the event loop that are waited for at full speed; a slower tier needs the processor more than we do. */
const QUICK_TURNS = 50;
const STEP = { newReqIds: [], preemptedReqIds: [] };

/** Block `n` of the tests: its key is a hash of 32 bytes. */
export const keyOf = (n: number): OffloadKey => makeOffloadKey(n.toString(16).padStart(64, "0"));

/** A tier under test with its environment, driven step by step as the orchestrator does it. */
export class TierRig {
  readonly env: TierEnv;
  readonly tier: SecondaryTierManager;
  readonly #results = new Map<number, JobResult>();
  readonly #jobs = new Set<number>();

  private constructor(env: TierEnv, tier: SecondaryTierManager) {
    this.env = env;
    this.tier = tier;
  }

  /** Runs `body` with a fresh, initialized tier, and shuts it down afterwards. */
  static async use(makeTier: MakeTier, body: (rig: TierRig) => Promise<void>): Promise<void> {
    const offloadingSpec = createTestSpec({ blockBytes: 1000, numBlocks: 64, enableKvEvents: true });
    const folder = await mkdtemp(join(tmpdir(), "kvtier-suite-"));
    const primaryKvView = PrimaryKvView.allocate(offloadingSpec.numBlocks, offloadingSpec.blockBytes);
    const env: TierEnv = { primaryKvView, offloadingSpec, clock: systemClock, logger: silentLogger, folder };
    try {
      const tier = await makeTier(env);
      try {
        await tier.initialize();
        await body(new TierRig(env, tier));
      } finally {
        await tier.shutdown();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** The bytes of block `n`: no two blocks have the same, and no two positions of one are exchangeable. */
  bytesOf(n: number): Uint8Array {
    return Uint8Array.from(
      { length: this.env.offloadingSpec.blockBytes },
      (_, i) => (n * 37 + i * 11 + (i >> 6)) & 255,
    );
  }

  /** What slot `blockId` holds now, a copy. */
  slot(blockId: number): Uint8Array {
    return new Uint8Array(this.env.primaryKvView.block(blockId));
  }

  /** What is wrong with the bytes of block `n` in slot `blockId`, in a sentence; `null` when nothing is. */
  faultOf(n: number, blockId: number, hint?: string): string | null {
    return byteFault(`block ${n} in slot ${blockId}`, this.slot(blockId), this.bytesOf(n), hint);
  }

  fill(blockId: number, bytes: Uint8Array | number): void {
    const slot = this.env.primaryKvView.block(blockId);
    if (typeof bytes === "number") slot.fill(bytes);
    else slot.set(bytes);
  }

  /** A job for the blocks `ns` in `slots`, not submitted yet. */
  createJob(ns: readonly number[], slots: readonly number[], isPromotion: boolean): TransferJob {
    const jobId = this.#jobs.size;
    this.#jobs.add(jobId);
    return {
      jobId,
      keys: ns.map(keyOf),
      blockIds: Int32Array.from(slots),
      isPromotion,
      reqContext: { reqId: "transfers" },
      submitTime: this.env.clock.now(),
    };
  }

  /** Submits a store of the blocks `ns`, from the slots `ns` (filled with their bytes) or `slots` (left as they are). */
  submitStore(ns: readonly number[], slots?: readonly number[]): TransferJob {
    if (slots === undefined) for (const n of ns) this.fill(n, this.bytesOf(n));
    const job = this.createJob(ns, slots ?? ns, false);
    this.tier.submitStore(job);
    return job;
  }

  /** Submits a load of the blocks `ns` into `slots`. */
  submitLoad(ns: readonly number[], slots: readonly number[]): TransferJob {
    const job = this.createJob(ns, slots, true);
    this.tier.submitLoad(job);
    return job;
  }

  /** The one result of `job`, once the tier has let go of its slots. */
  async resultOf(job: TransferJob): Promise<JobResult> {
    const result = await this.#until(`a result of job ${job.jobId}`, () => this.#results.get(job.jobId));
    await result.blocksReleased?.catch(() => {});
    return result;
  }

  store(ns: readonly number[], slots?: readonly number[]): Promise<JobResult> {
    return this.resultOf(this.submitStore(ns, slots));
  }

  load(ns: readonly number[], slots: readonly number[]): Promise<JobResult> {
    return this.resultOf(this.submitLoad(ns, slots));
  }

  /** What look-ups of block `n` come to: the first answer that is not `Retry`. */
  verdict(n: number, reqId: string): Promise<LookupResult> {
    return this.#until(`a verdict on block ${n}`, () => {
      const verdict = this.tier.lookup(keyOf(n), { reqId });
      return verdict === LookupResult.Retry ? undefined : verdict;
    });
  }

  /** Steps until the tier says that nothing is pending. */
  async untilIdle(): Promise<void> {
    await this.#until("an end of the pending work", () => (this.tier.hasPendingWork() ? undefined : true));
  }

  /** One step of the orchestrator, and a turn of the event loop. */
  async step(): Promise<void> {
    for (const result of this.tier.getFinishedJobs()) this.#collect(result);
    this.tier.onScheduleEnd(STEP);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async #until<T>(what: string, poll: () => T | undefined): Promise<T> {
    const start = this.env.clock.now();
    for (let turn = 0; ; turn++) {
      const value = poll();
      if (value !== undefined) return value;
      if (turn > QUICK_TURNS) await new Promise<void>((resolve) => setTimeout(resolve, 1));
      if (this.env.clock.now() - start > GIVE_UP_AFTER_S) throw new Error(`Waited ${GIVE_UP_AFTER_S} s for ${what}.`);
      await this.step();
    }
  }

  #collect(result: JobResult): void {
    if (!this.#jobs.has(result.jobId)) throw new Error(`A result of job ${result.jobId}, which was never submitted.`);
    if (this.#results.has(result.jobId)) throw new Error(`A second result of job ${result.jobId}.`);
    this.#results.set(result.jobId, result);
  }
}
