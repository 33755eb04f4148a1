import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import type { Labels, Snapshot } from "./metric-family.js";

/** A cache whose metrics are in a registry. */
export class MetricsSource {
  readonly manager: TieringOffloadingManager;
  /** Tell its series from those of other caches. */
  readonly labels: Labels;
  readonly #leave: () => void;
  #snapshot: Snapshot | null = null;

  /** @param leave takes its metrics out of the registry */
  constructor(manager: TieringOffloadingManager, labels: Labels, leave: () => void) {
    this.manager = manager;
    this.labels = labels;
    this.#leave = leave;
  }

  /** What there is to tell now, once for all metrics of a scrape; `null` when the cache is closed, which then leaves. */
  get snapshot(): Snapshot | null {
    if (this.manager.events.isClosed) {
      this.#leave();
      return null;
    }
    if (this.#snapshot === null) {
      this.#snapshot = { stats: this.manager.getStats(), distributions: this.manager.distributions() };
      // A registry asks all its metrics in one turn.
      queueMicrotask(() => (this.#snapshot = null));
    }
    return this.#snapshot;
  }
}
