import { Controller, Get, Header } from "@nestjs/common";
import type { TieringOffloadingManager } from "kvtier";
import { InjectTieringManager } from "kvtier/nest";
import { registerKvTierMetrics } from "kvtier/prometheus";
import { Registry } from "prom-client";

/** `GET /metrics`, for Prometheus. */
@Controller("metrics")
export class MetricsController {
  readonly #registry = new Registry();

  constructor(@InjectTieringManager() manager: TieringOffloadingManager) {
    registerKvTierMetrics(this.#registry, manager);
  }

  @Get()
  @Header("content-type", Registry.PROMETHEUS_CONTENT_TYPE)
  metrics(): Promise<string> {
    return this.#registry.metrics();
  }
}
