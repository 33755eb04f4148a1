import type { Container } from "inversify";
import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import type { TieringStats } from "../metrics/tiering-stats.js";
import type { ResetOptions, ResetResult } from "../orchestrator/reset-tiers.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { TOKENS } from "../tokens.js";

/** A cache as the page sees it. */
export interface DashboardSource {
  /** What the page calls it; no two of one page have the same. */
  readonly name: string;
  /** Bytes of one block. */
  readonly blockBytes: number;
  /** Called once a second. */
  stats(): TieringStats;
  /** Called only by whoever knows the page's token. */
  reset(options: ResetOptions): Promise<ResetResult>;
}

/**
 * The cache that `createTiering` made in `container`, for the page.
 *
 * @throws KvTierError `INVALID_STATE` while the container holds no running cache
 */
export function dashboardSource(name: string, container: Container): DashboardSource {
  const manager = container.get<TieringOffloadingManager>(TOKENS.tieringManager);
  return {
    name,
    blockBytes: container.get<OffloadingSpec>(TOKENS.offloadingSpec).blockBytes,
    stats: () => manager.getStats(),
    reset: (options) => manager.resetCache(options),
  };
}
