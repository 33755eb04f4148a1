import { ConfigurableModuleBuilder } from "@nestjs/common";
import { DiscoveryModule } from "@nestjs/core";
import { cacheProviders } from "./cache-providers.js";
import { getKvCacheToken } from "./inject-kv-cache.js";
import { getTieringManagerToken } from "./inject-tiering-manager.js";
import { KvTierCoreModule } from "./kv-tier-core.module.js";
import type { KvTierModuleExtras, KvTierModuleOptions } from "./kv-tier-module-options.js";
import { KV_TIER_MODULE_OPTIONS } from "./nest-tokens.js";

/** Every extra has to be named here: by these names Nest tells extras from options. */
const EXTRAS: Required<KvTierModuleExtras> = {
  name: "default",
  isGlobal: false,
  tiers: [],
  detectors: [],
  policies: [],
};

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<KvTierModuleOptions>({ optionsInjectionToken: KV_TIER_MODULE_OPTIONS })
    .setClassMethodName("forRoot")
    .setFactoryMethodName("createKvTierOptions")
    .setExtras<KvTierModuleExtras>(EXTRAS, (definition, extras) => ({
      ...definition,
      global: extras.isGlobal ?? false,
      imports: [...(definition.imports ?? []), DiscoveryModule, KvTierCoreModule],
      providers: [...(definition.providers ?? []), ...cacheProviders(extras)],
      exports: [getKvCacheToken(extras.name), getTieringManagerToken(extras.name), KvTierCoreModule],
    }))
    .build();
