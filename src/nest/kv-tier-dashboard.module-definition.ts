import { ConfigurableModuleBuilder } from "@nestjs/common";
import { dashboardController } from "./dashboard-controller.js";
import { DashboardPage } from "./dashboard-page.js";
import {
  KV_TIER_DASHBOARD_OPTIONS,
  type KvTierDashboardExtras,
  type KvTierDashboardOptions,
} from "./kv-tier-dashboard-options.js";
import { KvTierCoreModule } from "./kv-tier-core.module.js";

/** Every extra has to be named here: by these names Nest tells extras from options. */
const EXTRAS: Required<KvTierDashboardExtras> = { path: "kvtier", guards: [] };

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<KvTierDashboardOptions>({ optionsInjectionToken: KV_TIER_DASHBOARD_OPTIONS })
    .setClassMethodName("forRoot")
    .setFactoryMethodName("createKvTierDashboardOptions")
    .setExtras<KvTierDashboardExtras>(EXTRAS, (definition, { path = EXTRAS.path, guards = EXTRAS.guards }) => ({
      ...definition,
      imports: [...(definition.imports ?? []), KvTierCoreModule],
      providers: [...(definition.providers ?? []), DashboardPage],
      controllers: [dashboardController(path, guards)],
    }))
    .build();
