import type { Provider } from "@nestjs/common";
import { createTiering, type Tiering } from "../cache/create-tiering.js";
import { configInvalid } from "../config/config-invalid.js";
import { describeValue } from "../config/describe-value.js";
import type { Clock } from "../contracts/clock.js";
import type { Logger } from "../contracts/logger.js";
import type { ModuleImporter } from "../contracts/module-importer.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { Registries } from "../factory/registries.js";
import { TOKENS } from "../tokens.js";
import type { AppCache } from "./app-cache.js";
import { AppCaches } from "./app-caches.js";
import { getKvCacheToken } from "./inject-kv-cache.js";
import { getTieringManagerToken } from "./inject-tiering-manager.js";
import type { KvTierModuleExtras, KvTierModuleOptions } from "./kv-tier-module-options.js";
import { APP_CACHE, DEFAULT_CACHE, KV_TIER_MODULE_OPTIONS, tokenOfCache } from "./nest-tokens.js";
import { classProviders, portProviders } from "./overridable-providers.js";
import { readConfigFile } from "./read-config-file.js";
import { TokenOverrides } from "./token-overrides.js";

/** The providers of the module of one cache. */
export function cacheProviders(extras: KvTierModuleExtras): Provider[] {
  const { name = DEFAULT_CACHE, tiers = [], detectors = [], policies = [] } = extras;
  const classes = { tiers, detectors, policies };
  const tokens = new Registries(classes).tokens();
  const appCache = tokenOfCache(APP_CACHE, name);

  const open = (
    caches: AppCaches,
    moduleOptions: KvTierModuleOptions,
    overrides: TokenOverrides,
    clock: Clock,
    logger: Logger,
    importer: ModuleImporter,
  ): Promise<AppCache> => {
    const { config, shutdownDeadlineS, configure, ...options } = moduleOptions;
    return caches.open(name, shutdownDeadlineS, async (): Promise<Tiering> => {
      assertSound(moduleOptions);
      return createTiering(typeof config === "string" ? await readConfigFile(config) : (config as unknown), {
        ...options,
        ...classes,
        clock,
        logger,
        importer,
        configure: async (container) => {
          await configure?.(container);
          // A test has the last word.
          overrides.apply({ container, tokens, cacheToken: appCache });
        },
      });
    });
  };

  return [
    TokenOverrides,
    ...portProviders(name),
    ...classProviders(tokens),
    {
      provide: appCache,
      inject: [AppCaches, KV_TIER_MODULE_OPTIONS, TokenOverrides, TOKENS.clock, TOKENS.logger, TOKENS.importer],
      useFactory: open,
    },
    { provide: getKvCacheToken(name), inject: [appCache], useFactory: ({ cache }: AppCache) => cache },
    { provide: getTieringManagerToken(name), inject: [appCache], useFactory: ({ manager }: AppCache) => manager },
  ];
}

/** What the compiler does not see: a factory that returns more than it is asked for, and values from the environment. */
function assertSound(options: KvTierModuleOptions): void {
  // Nest has made its providers by now, without the tokens of these.
  const misplaced = ["tiers", "detectors", "policies"].filter((key) => Object.hasOwn(options, key));
  if (misplaced.length > 0) {
    throw new KvTierError(
      "INVALID_STATE",
      `The factory of forRootAsync returned ${misplaced.join(", ")}. Classes stand beside it: ` +
        "KvTierModule.forRootAsync({ tiers: [MyTier], useFactory: … }).",
    );
  }
  const { shutdownDeadlineS = 0 } = options;
  if (typeof shutdownDeadlineS === "number" && shutdownDeadlineS >= 0) return;
  const message = `must be a number of seconds, 0 or more; got ${describeValue(shutdownDeadlineS)}`;
  throw configInvalid([{ path: "shutdownDeadlineS", message }], "options of KvTierModule");
}
