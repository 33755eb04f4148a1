import { Module, type DynamicModule } from "@nestjs/common";
import {
  ConfigurableModuleClass,
  type ASYNC_OPTIONS_TYPE,
  type OPTIONS_TYPE,
} from "./kv-tier-dashboard.module-definition.js";

/**
 * A page at `/kvtier` that shows live what the caches of the application and their tiers do. With Express; in another
 * server `createDashboardHandler` does the same. The application starts with `INVALID_STATE` when it has no cache.
 */
@Module({})
export class KvTierDashboardModule extends ConfigurableModuleClass {
  /** The page with options that are there already; none are needed. */
  static override forRoot(options: typeof OPTIONS_TYPE = {}): DynamicModule {
    return super.forRoot(options);
  }

  /** The page with options from a factory. `path` and `guards` stand beside it. */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }
}
