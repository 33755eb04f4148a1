import type { StoreDetector } from "../contracts/backpressure.js";
import { Policy } from "../decorators/policy.js";
import { BackpressurePolicy } from "./backpressure-policy.js";

/** Drops every store while the detector is under pressure. */
@Policy("DropStorePolicy")
export class DropStorePolicy extends BackpressurePolicy {
  override shouldStore(detector: StoreDetector): boolean {
    return !detector.isUnderPressure();
  }
}
