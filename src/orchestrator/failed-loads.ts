import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestState } from "./request-state.js";
import type { TierHandle } from "./tier-handle.js";

/**
 * Which tier failed to deliver which block to whom. A tier that cannot tell by itself would be asked for the same torn
 * block again and again; on behalf of these requests it is not, until the block is stored there anew.
 */
export class FailedLoads {
  readonly #requests = new Map<OffloadKey, Set<RequestState>>();

  add(key: OffloadKey, state: RequestState, tier: TierHandle): void {
    (state.recordOf(key).failedTiers ??= new Set()).add(tier.index);
    state.failedKeys.add(key);
    const requests = this.#requests.get(key);
    if (requests === undefined) this.#requests.set(key, new Set([state]));
    else requests.add(state);
  }

  /** `tier` holds these blocks anew, whatever became of earlier loads. */
  onStored(keys: readonly OffloadKey[], tier: TierHandle): void {
    if (this.#requests.size === 0) return;
    for (const key of keys) {
      for (const state of this.#requests.get(key) ?? []) state.findRecord(key)?.failedTiers?.delete(tier.index);
    }
  }

  /** The request is gone. */
  forget(state: RequestState): void {
    for (const key of state.failedKeys) {
      const requests = this.#requests.get(key);
      if (requests?.delete(state) === true && requests.size === 0) this.#requests.delete(key);
    }
  }
}
