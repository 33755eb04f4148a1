import type { CanActivate, Type } from "@nestjs/common";
import type { DashboardOptions } from "../dashboard/dashboard-options.js";

/** Under which the module has its options. */
export const KV_TIER_DASHBOARD_OPTIONS = "kv.dashboard-options";

/** As for `createDashboardHandler`; where the page lies, the module knows. */
export type KvTierDashboardOptions = Omit<DashboardOptions, "basePath">;

/** What Nest has to know before any option is there. In `forRootAsync` it stands beside the factory. */
export interface KvTierDashboardExtras {
  /** Path of the page, below the application's global prefix. Absent: `kvtier`. */
  readonly path?: string;
  /** Guards of the page, besides the application's global ones. Classes need what they inject from global modules. */
  readonly guards?: readonly (Type<CanActivate> | CanActivate)[];
}
