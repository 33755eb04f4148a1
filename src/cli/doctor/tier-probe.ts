import type { Clock } from "../../contracts/clock.js";
import { LookupResult } from "../../contracts/lookup-result.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { JobResult } from "../../contracts/transfer-job.js";
import type { TierHandle } from "../../orchestrator/tier-handle.js";

/** Seconds between two looks at a tier that does not notify. */
const PAUSE_S = 0.005;

export interface TierProbeDependencies {
  readonly tier: TierHandle;
  readonly clock: Clock;
  /** Seconds that each step may take. */
  readonly deadlineS: number;
}

/** Asks one tier for one thing at a time, as the orchestrator would, and waits for the answer. */
export class TierProbe {
  readonly #tier: TierHandle;
  readonly #clock: Clock;
  readonly #deadlineS: number;
  readonly #results = new Map<number, JobResult>();
  #requests = 0;
  #jobs = 0;
  #notified = false;
  #wake: () => void = () => {};

  constructor({ tier, clock, deadlineS }: TierProbeDependencies) {
    this.#tier = tier;
    this.#clock = clock;
    this.#deadlineS = deadlineS;
  }

  /** What the tier calls when something finished. */
  notify(): void {
    this.#notified = true;
    this.#wake();
  }

  /** Whether the tier says that it holds the block. Asked as a new request, so that no earlier answer counts. */
  async has(key: OffloadKey): Promise<boolean> {
    const ctx = { reqId: `kvtier-doctor-${++this.#requests}` };
    this.#tier.onNewRequest(ctx);
    const verdict = await this.#until("the look-up", () => {
      const found = this.#tier.lookup(key, ctx);
      return found === LookupResult.Retry || found === LookupResult.HitPending ? undefined : found;
    });
    this.#tier.onRequestFinished(ctx);
    return verdict === LookupResult.Hit;
  }

  /** Moves one block between `slot` and the tier. Resolves to the seconds it took, or `null` when it failed. */
  async transfer(direction: "store" | "load", key: OffloadKey, slot: number): Promise<number | null> {
    const jobId = ++this.#jobs;
    const reqContext = { reqId: `kvtier-doctor-${++this.#requests}` };
    const submitTime = this.#clock.now();
    const isPromotion = direction === "load";
    this.#tier.onNewRequest(reqContext);
    const job = { jobId, keys: [key], blockIds: Int32Array.of(slot), isPromotion, reqContext, submitTime };
    if (!this.#tier.submit(job)) return null;
    const { success } = await this.#until(`the ${direction}`, () => this.#resultOf(jobId));
    this.#tier.onRequestFinished(reqContext);
    return success ? this.#clock.now() - submitTime : null;
  }

  #resultOf(jobId: number): JobResult | undefined {
    for (const { jobId: id, result } of this.#tier.getFinishedJobs()) {
      this.#results.set(id, result ?? { jobId: id, success: false });
    }
    return this.#results.get(jobId);
  }

  async #until<T>(what: string, poll: () => T | undefined): Promise<T> {
    const giveUpAt = this.#clock.now() + this.#deadlineS;
    for (;;) {
      const found = poll();
      if (found !== undefined) return found;
      if (this.#clock.now() >= giveUpAt) throw new Error(`${what} did not end within ${this.#deadlineS} s`);
      this.#tier.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
      await this.#nextSign();
    }
  }

  /** Until the tier notifies, but no longer than a moment. */
  async #nextSign(): Promise<void> {
    if (!this.#notified) {
      await new Promise<void>((resolve) => {
        const cancel = this.#clock.after(PAUSE_S, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
    this.#notified = false;
  }
}
