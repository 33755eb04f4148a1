import type { StoreDetector } from "../contracts/backpressure.js";
import { Policy } from "../decorators/policy.js";
import { BackpressurePolicy } from "./backpressure-policy.js";
import { ThrottledDropConfig } from "./throttled-drop-config.js";

/** What is owed at the start: half a drop, so that the count of drops is the computed one rounded, not rounded down. */
const INITIAL_DEBT = 0.5;

/**
 * Drops a share of the stores that grows with the pressure: none up to the detector's high mark, all from an overshoot
 * of `rampFactor` on. The default policy. Deterministic: over N calls at a constant share r it drops r·N stores, to
 * within one, spread evenly. (Upstream's "every n-th call" can drop no share between one half and all.)
 */
@Policy("ThrottledDropPolicy", { config: ThrottledDropConfig })
export class ThrottledDropPolicy extends BackpressurePolicy<ThrottledDropConfig> {
  /** Drops that the calls so far add up to, less those already made; below 1 between calls. */
  #debt = INITIAL_DEBT;

  override shouldStore(detector: StoreDetector): boolean {
    if (!detector.isUnderPressure()) return true;
    const share = Math.min(1, detector.overshoot() / this.config.rampFactor);
    // Written so that a detector's NaN stores: nothing measured is no reason to drop.
    if (!(share > 0)) return true;
    this.#debt += share;
    if (this.#debt < 1) return true;
    this.#debt -= 1;
    return false;
  }

  override reset(): void {
    super.reset();
    this.#debt = INITIAL_DEBT;
  }
}
