/** Stores and blocks that were refused. */
export interface DroppedStores {
  readonly stores: number;
  readonly blocks: number;
}

/** What a detector measures, beside the marks that it is compared with. */
export interface PressureReading {
  readonly value: number;
  /** Above this the tier comes under pressure. */
  readonly high: number;
  /** Below this the pressure clears. */
  readonly low: number;
  /** Of all three, for people: `s/MiB`. */
  readonly unit: string;
}

/** What a policy may see of a detector, and what the orchestrator asks of it. */
export interface StoreDetector {
  readonly policy: StorePolicy;
  isUnderPressure(): boolean;
  /** Not under pressure, and for so long that the policy need not be asked. */
  isHealthy(): boolean;
  /** How far above the high mark, as a fraction of it: 0 at or below the mark, 2 at three times the mark. */
  overshoot(): number;
  /** Whether a store of `blocks` blocks may go ahead. A refusal is counted as dropped. */
  shouldStore(blocks: number): boolean;
  /** A store that was submitted at `submitTime` (seconds) has moved `bytes`; zero bytes say nothing and are ignored. */
  update(submitTime: number, bytes: number): void;
  /** A store moved `bytes` in `elapsedS` seconds. */
  onStoreCompleted(elapsedS: number, bytes: number): void;
  onStoreFailed(): void;
  reset(): void;
  /** Figures of this detector for people and metrics. */
  readonly stats: Readonly<Record<string, number>>;
  /** `null` or absent: it compares no one figure with marks. */
  readonly reading?: PressureReading | null;
}

/** Decides, under pressure, which stores go ahead, and counts those that do not. */
export interface StorePolicy {
  shouldStore(detector: StoreDetector): boolean;
  onStoreSkipped(blocks: number): void;
  /** What was dropped since the last call. */
  popStoresDropped(): DroppedStores;
  reset(): void;
}
