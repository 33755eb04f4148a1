import type { DroppedStores, StoreDetector } from "../contracts/backpressure.js";
import type { Logger } from "../contracts/logger.js";
import type { JobResult, TransferJob } from "../contracts/transfer-job.js";
import { CHANNELS } from "../diagnostics/channels.js";
import type { MeasuredPressure } from "../metrics/tier-metrics.js";
import type { PressureStats } from "../metrics/tiering-stats.js";
import { guarded } from "./guarded.js";
import { numberFigures } from "./number-figures.js";

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
  /** As last told. */
  #isActive = false;

  constructor(tier: PressuredTier, logger: Logger) {
    this.#tier = tier;
    this.#logger = logger;
  }

  /** Whether a store of `blocks` blocks may go ahead. A refusal is counted by the detector's policy. */
  mayStore(blocks: number): boolean {
    const { detector } = this.#tier;
    if (detector === null) return true;
    const mayStore = this.#guarded("shouldStore", () => detector.shouldStore(blocks)) ?? true;
    if (!mayStore && CHANNELS.storeDropped.hasSubscribers) {
      CHANNELS.storeDropped.publish({ tier: this.#tier.label, blocks, reason: "pressure" });
    }
    return mayStore;
  }

  /** A store has ended. One that was dropped before any I/O says nothing about the tier. */
  onStoreEnded(job: TransferJob, result: JobResult, bytes: number): void {
    const { detector } = this.#tier;
    if (detector === null || result.dropped === true) return;
    this.#guarded("feedback", () => {
      if (result.success) detector.update(job.submitTime, bytes);
      else detector.onStoreFailed();
      this.#tellChange(detector);
    });
  }

  get stats(): PressureStats | null {
    const { detector } = this.#tier;
    if (detector === null) return null;
    const stats = this.#guarded("stats", () => {
      // First, since by being asked a detector may notice that time has eased the pressure.
      const active = detector.isUnderPressure();
      return { active, detector: numberFigures(detector.stats), reading: detector.reading ?? null };
    });
    return stats ?? null;
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
      this.#tellChange(detector);
    });
  }

  #tellChange(detector: StoreDetector): void {
    const isActive = detector.isUnderPressure();
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    const change = isActive ? "activated" : "cleared";
    const stats = numberFigures(detector.stats);
    this.#logger.info(`Tier ${this.#tier.label}: back-pressure ${change}`, stats);
    if (CHANNELS.pressure.hasSubscribers) {
      CHANNELS.pressure.publish({ tier: this.#tier.label, active: isActive, stats });
    }
  }

  #guarded<T>(what: string, call: () => T): T | undefined {
    return guarded(this.#logger, `The backpressure detector of tier ${this.#tier.label}: ${what}`, call);
  }
}
