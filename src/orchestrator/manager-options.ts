import type { Clock } from "../contracts/clock.js";
import type { Logger } from "../contracts/logger.js";
import type { PrimaryTier } from "../primary/primary-tier.js";
import type { TierAttachment } from "./tier-handle.js";

export interface ManagerOptions {
  readonly primary: PrimaryTier;
  /** In the order in which they are asked. */
  readonly tiers: readonly TierAttachment[];
  /** Bytes of one block. */
  readonly blockBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Seconds after which a pending look-up or promotion is a miss for its requester; absent: never. */
  readonly pendingDeadlineS?: number;
  /** Called when a step may find what no tier reports: late I/O has let go of blocks, a pending deadline has passed. */
  readonly notify?: () => void;
}
