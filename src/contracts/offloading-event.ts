import type { Locality, Medium } from "./medium.js";
import type { OffloadKey } from "./offload-key.js";

/** Blocks that became resident in a medium, or left it. */
export interface OffloadingEvent {
  readonly keys: readonly OffloadKey[];
  readonly medium: Medium;
  /** `false`: stored; `true`: removed. */
  readonly removed: boolean;
  readonly locality?: Locality;
}
