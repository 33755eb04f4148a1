import type { IncomingMessage, ServerResponse } from "node:http";
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from "@nestjs/common";
import { createDashboardHandler, type DashboardHandler } from "../dashboard/create-dashboard-handler.js";
import { dashboardSource } from "../dashboard/dashboard-source.js";
import { AppCaches } from "./app-caches.js";
import { KV_TIER_DASHBOARD_OPTIONS, type KvTierDashboardOptions } from "./kv-tier-dashboard-options.js";
import { nestLogger } from "./nest-logger.js";

/** The page of all caches of an application, from when they are open until they begin to close. */
@Injectable()
export class DashboardPage implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #caches: AppCaches;
  readonly #options: KvTierDashboardOptions;
  #handler: DashboardHandler | null = null;

  constructor(
    @Inject(AppCaches) caches: AppCaches,
    @Inject(KV_TIER_DASHBOARD_OPTIONS) options: KvTierDashboardOptions,
  ) {
    this.#caches = caches;
    this.#options = options;
  }

  onApplicationBootstrap(): void {
    const sources = this.#caches.all().map(({ name, container }) => dashboardSource(name, container));
    this.#handler = createDashboardHandler(sources, { logger: nestLogger("KvTierDashboard"), ...this.#options });
  }

  beforeApplicationShutdown(): void {
    this.#handler?.close();
  }

  /** @returns `false` when the page has no such file */
  serve(file: string, request: IncomingMessage, response: ServerResponse): boolean {
    return this.#handler?.serve(file, request, response) ?? false;
  }
}
