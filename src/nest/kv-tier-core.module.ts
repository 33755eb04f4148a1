import { Module } from "@nestjs/common";
import { AppCaches } from "./app-caches.js";
import { KvTierHealthIndicator } from "./kv-tier.health.js";

/** What the caches of an application share. Every `KvTierModule` imports and exports it. */
@Module({ providers: [AppCaches, KvTierHealthIndicator], exports: [AppCaches, KvTierHealthIndicator] })
export class KvTierCoreModule {}
