import type { RequestContext } from "../../../src/contracts/request-context.js";
import type { JobResult } from "../../../src/contracts/transfer-job.js";
import { PrimaryKvView } from "../../../src/primary/primary-kv-view.js";
import { createTestSpec } from "../../../src/testing/create-test-spec.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";
import type { ObjTier } from "../../../src/tiers/obj/obj-tier.js";
import { jobOf, keyOf, STEP } from "../../unit/tiers/shared/fake-store.js";
import { withoutStrayRejections } from "../disk-rig.js";
import { recordingLogger, type LogLine } from "../recording-logger.js";
import { makeObjTier, type ObjTierOptions } from "./make-obj-tier.js";
import { ScriptedS3 } from "./scripted-s3.js";

export const BLOCK_BYTES = 1000;

/** An obj tier on a scripted server, driven by its contract. Slot n holds the byte n + 1. */
export class ObjRig {
  readonly s3: ScriptedS3;
  readonly tier: ObjTier;
  readonly clock: ManualClock;
  readonly lines: readonly LogLine[];
  readonly #view: PrimaryKvView;
  readonly #notified: { resolve: () => void };
  readonly #results = new Map<number, JobResult>();

  private constructor(
    parts: Pick<ObjRig, "s3" | "tier" | "clock" | "lines">,
    view: PrimaryKvView,
    notified: { resolve: () => void },
  ) {
    this.#view = view;
    this.s3 = parts.s3;
    this.tier = parts.tier;
    this.clock = parts.clock;
    this.lines = parts.lines;
    this.#notified = notified;
  }

  /** Runs `body` with a tier that is initialized; no rejection may be left unhandled. */
  static use(options: ObjTierOptions, body: (rig: ObjRig) => Promise<void>): Promise<void> {
    return withoutStrayRejections(async () => {
      const s3 = await ScriptedS3.start();
      try {
        const clock = new ManualClock(100);
        const { logger, lines } = recordingLogger();
        const notified = { resolve: () => {} };
        const offloadingSpec = createTestSpec({ blockBytes: BLOCK_BYTES, numBlocks: 512 });
        const primaryKvView = PrimaryKvView.allocate(512, BLOCK_BYTES);
        const context = {
          primaryKvView,
          clock,
          logger,
          offloadingSpec,
          notify: () => notified.resolve(),
          ...options.context,
        };
        const tier = makeObjTier(s3.endpoint, { ...options, context });
        try {
          await tier.initialize();
          const rig = new ObjRig({ s3, tier, clock, lines }, primaryKvView, notified);
          for (let n = 0; n < 512; n++) rig.slot(n).fill(n + 1);
          await body(rig);
        } finally {
          await tier.shutdown();
        }
      } finally {
        await s3.close();
      }
    });
  }

  slot(n: number): Uint8Array {
    return this.#view.block(n);
  }

  /** Submits a store of the blocks `ns` from their slots; see {@link resultOf}. */
  submitStore(...ns: number[]): number {
    const job = jobOf(ns);
    this.tier.submitStore(job);
    return job.jobId;
  }

  submitLoad(n: number, slot: number): number {
    const job = jobOf([n], [slot]);
    this.tier.submitLoad(job);
    return job.jobId;
  }

  store(...ns: number[]): Promise<JobResult> {
    return this.resultOf(this.submitStore(...ns));
  }

  load(n: number, slot: number): Promise<JobResult> {
    return this.resultOf(this.submitLoad(n, slot));
  }

  async resultOf(jobId: number): Promise<JobResult> {
    for (;;) {
      for (const result of this.tier.getFinishedJobs()) this.#results.set(result.jobId, result);
      const result = this.#results.get(jobId);
      if (result !== undefined) return result;
      await new Promise<void>((resolve) => (this.#notified.resolve = resolve));
    }
  }

  async verdict(n: number, reqId: string): Promise<string> {
    const request: RequestContext = { reqId };
    for (;;) {
      const verdict = this.tier.lookup(keyOf(n), request);
      if (verdict !== "retry") return verdict;
      const notified = new Promise<void>((resolve) => (this.#notified.resolve = resolve));
      this.tier.onScheduleEnd(STEP);
      await notified;
    }
  }

  figure(name: string): number {
    return this.tier.getStats()[name] ?? NaN;
  }
}
