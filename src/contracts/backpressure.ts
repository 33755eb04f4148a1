/** Stores and blocks that were refused. */
export interface DroppedStores {
  readonly stores: number;
  readonly blocks: number;
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
}

/** Decides, under pressure, which stores go ahead, and counts those that do not. */
export interface StorePolicy {
  shouldStore(detector: StoreDetector): boolean;
  onStoreSkipped(blocks: number): void;
  /** What was dropped since the last call. */
  popStoresDropped(): DroppedStores;
  reset(): void;
}
