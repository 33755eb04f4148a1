import { Controller, Get, Inject } from "@nestjs/common";
import { HealthCheck, HealthCheckService, type HealthCheckResult } from "@nestjs/terminus";
import { KvTierHealthIndicator } from "kvtier/nest";

@Controller("health")
export class HealthController {
  readonly #health: HealthCheckService;
  readonly #kvTier: KvTierHealthIndicator;

  constructor(
    @Inject(HealthCheckService) health: HealthCheckService,
    @Inject(KvTierHealthIndicator) kvTier: KvTierHealthIndicator,
  ) {
    this.#health = health;
    this.#kvTier = kvTier;
  }

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.#health.check([() => this.#kvTier.check("kv")]);
  }
}
