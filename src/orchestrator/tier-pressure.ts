import type { DroppedStores, StoreDetector } from "../contracts/backpressure.js";
import type { Logger } from "../contracts/logger.js";
import type { JobResult, TransferJob } from "../contracts/transfer-job.js";
import type { MeasuredPressure } from "../metrics/tier-metrics.js";
import type { PressureStats } from "../metrics/tiering-stats.js";
import { guarded } from "./guarded.js";

const NOTHING_DROPPED: DroppedStores = { stores: 0, blocks: 0 };

/** Whose detector is asked. */
export interface PressuredTier {
  readonly label: string;
  /** `null`: the tier always stores. */
  readonly detector: StoreDetector | null;
}

/** What one tier's detector is asked and told. A detector of the application's that throws lets stores go ahead. */
export class TierPressure implements MeasuredPressure {
  readonly #tier: PressuredTier;
  readonly #logger: Logger;
  /** As last logged. */
  #isActive = false;

  constructor(tier: PressuredTier, logger: Logger) {
    this.#tier = tier;
    this.#logger = logger;
  }

  /** Whether a store of `blocks` blocks may go ahead. A refusal is counted by the detector's policy. */
  mayStore(blocks: number): boolean {
    const { detector } = this.#tier;
    return detector === null || (this.#guarded("shouldStore", () => detector.shouldStore(blocks)) ?? true);
  }

  /** A store has ended. One that was dropped before any I/O says nothing about the tier. */
  onStoreEnded(job: TransferJob, result: JobResult, bytes: number): void {
    const { detector } = this.#tier;
    if (detector === null || result.dropped === true) return;
    this.#guarded("feedback", () => {
      if (result.success) detector.update(job.submitTime, bytes);
      else detector.onStoreFailed();
      this.#logChange(detector);
    });
  }

  get stats(): PressureStats | null {
    const { detector } = this.#tier;
    if (detector === null) return null;
    return this.#guarded("stats", () => ({ active: detector.isUnderPressure(), detector: detector.stats })) ?? null;
  }

  popStoresDropped(): DroppedStores {
    const { detector } = this.#tier;
    return this.#guarded("popStoresDropped", () => detector?.policy.popStoresDropped()) ?? NOTHING_DROPPED;
  }

  reset(): void {
    const { detector } = this.#tier;
    if (detector === null) return;
    this.#guarded("reset", () => {
      detector.reset();
      this.#logChange(detector);
    });
  }

  #logChange(detector: StoreDetector): void {
    const isActive = detector.isUnderPressure();
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    const change = isActive ? "activated" : "cleared";
    this.#logger.info(`Tier ${this.#tier.label}: back-pressure ${change}`, { ...detector.stats });
  }

  #guarded<T>(what: string, call: () => T): T | undefined {
    return guarded(this.#logger, `The backpressure detector of tier ${this.#tier.label}: ${what}`, call);
  }
}
