import { Module, type DynamicModule } from "@nestjs/common";
import { ConfigurableModuleClass, type ASYNC_OPTIONS_TYPE, type OPTIONS_TYPE } from "./kv-tier.module-definition.js";

/**
 * A cache in a Nest application, one module for each. It is opened before anything that injects it is made, and closed in
 * three phases when the application closes: no more stores; what is committed reaches the tiers, as far as the deadline
 * allows; tiers and clients close. On a signal Nest does so only after `app.enableShutdownHooks()`.
 *
 * In a test, `overrideProvider(tierToken("fs"))` replaces a tier in every cache of the application; so do the tokens of
 * detectors, policies and specs, and `TOKENS.clock`, `TOKENS.logger` and `TOKENS.importer`.
 */
@Module({})
export class KvTierModule extends ConfigurableModuleClass {
  /**
   * A cache from options that are there already.
   *
   * The application fails to start with what `createTiering` throws, `CONFIG_INVALID` with every problem for one; with
   * `INVALID_STATE` when two caches have one name.
   */
  static override forRoot(options: typeof OPTIONS_TYPE): DynamicModule {
    return super.forRoot(options);
  }

  /**
   * A cache from options that `useFactory`, or `createKvTierOptions` of `useClass` or `useExisting`, delivers. Otherwise as
   * {@link forRoot}. `name`, `isGlobal` and the classes stand beside it.
   */
  static override forRootAsync(options: typeof ASYNC_OPTIONS_TYPE): DynamicModule {
    return super.forRootAsync(options);
  }
}
