import { Controller, Get } from "@nestjs/common";
import { HealthCheck, HealthCheckService, type HealthCheckResult } from "@nestjs/terminus";
import { KvTierHealthIndicator } from "kvtier/nest";

/** `GET /health`: a tier that is down is told of, and takes nothing out. */
@Controller("health")
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly tiers: KvTierHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.tiers.check("kv")]);
  }
}
