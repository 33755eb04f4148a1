import type { Clock } from "../contracts/clock.js";
import type { Logger } from "../contracts/logger.js";

export interface DashboardOptions {
  /** Path that the page lies at, as the browser sees it: `/kvtier`. Absent: `/`. */
  readonly basePath?: string;
  /**
   * Host names, without a port, that the page may be asked for by, besides addresses, `localhost` and names below that.
   * Any other is answered with 403, which keeps foreign sites from reading the page through a name of theirs.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Whoever sends this, at least 16 characters, as `Authorization: Bearer`, may clear caches and their tiers: the only
   * control there is. Absent or empty: there is none.
   */
  readonly token?: string;
  /** Absent: the clock of the process. */
  readonly clock?: Clock;
  /** Absent: warnings and errors on the console. */
  readonly logger?: Logger;
}
