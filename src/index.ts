import "reflect-metadata";

export type { DetectorDefaultsOptions } from "./backpressure/backpressure-detector.js";
export type { AcquireOptions, DrainOptions, PutOptions, RequestOptions } from "./cache/cache-options.js";
export type { CreateTieringOptions, Tiering } from "./cache/create-tiering.js";
export type { Lease } from "./cache/lease.js";
export type { CloseOptions } from "./cache/running-tiering.js";
export type { StoreTicket } from "./cache/store-ticket.js";
export type {
  BackpressureInput,
  ModelInput,
  SecondaryTierInput,
  TieringConfigInput,
} from "./config/tiering-config-input.js";
export type { TieringConfig } from "./config/tiering-config.js";
export type { DroppedStores, PressureReading, StoreDetector, StorePolicy } from "./contracts/backpressure.js";
export type { Clock } from "./contracts/clock.js";
export type { BlockLocation, KvBlockView, KvSlab } from "./contracts/kv-block-view.js";
export type { Logger, LogMethod } from "./contracts/logger.js";
export type { ModuleImporter } from "./contracts/module-importer.js";
export type { RequestOffloading } from "./contracts/offload-policy.js";
export type { OffloadKey } from "./contracts/offload-key.js";
export type { OffloadingEvent } from "./contracts/offloading-event.js";
export type { EvictionPolicyName, ModelSpec, OffloadingSpec } from "./contracts/offloading-spec.js";
export type { RequestContext, ScheduleEndContext } from "./contracts/request-context.js";
export type { DrainResult, TierFigures } from "./contracts/secondary-tier-manager.js";
export type { StorageIdentity } from "./contracts/storage-namespace.js";
export type { TierContext } from "./contracts/tier-context.js";
export type { TierMatcher, TierTraits } from "./contracts/tier-filter.js";
export type { AnyClass, Class, ConfigContract } from "./contracts/tier-metadata.js";
export type { JobResult, TransferJob } from "./contracts/transfer-job.js";
export type { DashboardHandler } from "./dashboard/create-dashboard-handler.js";
export type { DashboardOptions } from "./dashboard/dashboard-options.js";
export type { DashboardSource } from "./dashboard/dashboard-source.js";
export type { ComponentOptions } from "./decorators/decorate-component.js";
export type { SecondaryTierOptions } from "./decorators/secondary-tier.js";
export type {
  BreakerMessage,
  EvictMessage,
  JobFailureMessage,
  LookupMessage,
  PressureMessage,
  StoreDroppedMessage,
  TransferMessage,
} from "./diagnostics/messages.js";
export type { ConfigProblem, KvTierErrorCode, KvTierErrorDetails } from "./errors/kv-tier-error.js";
export type { SequenceDescription } from "./events/block-descriptions.js";
export type { KvEventPublisherStats } from "./events/kv-event-publisher.js";
export type { KvEventPublisherOptions } from "./events/publisher-options.js";
export type { SpecConfig } from "./factory/offloading-spec-factory.js";
export type { ParseOptions } from "./factory/parse-tiering-config.js";
export type { TierPlacement } from "./factory/tier-placement.js";
export type { ModuleOptions, TieringModuleOptions } from "./factory/tiering-module.js";
export type { LatencySummary } from "./metrics/latency-histogram.js";
export type { PressureStats, PrimaryStats, TieringStats, TierStats } from "./metrics/tiering-stats.js";
export type { EventFeed, EventListener } from "./orchestrator/event-feed.js";
export type { ResetOptions, ResetResult, TierReset } from "./orchestrator/reset-tiers.js";
export type { PreparedStore } from "./primary/primary-tier.js";
export type { BlockStoreLimits } from "./tiers/shared/block-store-limits.js";
export type { BlockTransfer, TransferOutcome } from "./tiers/shared/block-transfer.js";

export { BackpressureDetector } from "./backpressure/backpressure-detector.js";
export { BackpressurePolicy } from "./backpressure/backpressure-policy.js";
export { DropStorePolicy } from "./backpressure/drop-store-policy.js";
export { EMABackpressureConfig } from "./backpressure/ema-backpressure-config.js";
export { EMABackpressureDetector } from "./backpressure/ema-backpressure-detector.js";
export { ThrottledDropConfig } from "./backpressure/throttled-drop-config.js";
export { ThrottledDropPolicy } from "./backpressure/throttled-drop-policy.js";
export { createTiering } from "./cache/create-tiering.js";
export { KvCache } from "./cache/kv-cache.js";
export { ByteSize } from "./config/byte-size-option.js";
export { createOffloadingSpec } from "./config/create-offloading-spec.js";
export { Count, Fraction, Seconds } from "./config/number-options.js";
export { Optional } from "./config/optional.js";
export { Below, NotAbove } from "./config/order-options.js";
export { Flag, OneOf, Text } from "./config/value-options.js";
export { systemClock } from "./contracts/clock.js";
export { hashBlocks } from "./contracts/hash-blocks.js";
export { consoleLogger, silentLogger } from "./contracts/logger.js";
export { LookupResult } from "./contracts/lookup-result.js";
export { Locality, Medium } from "./contracts/medium.js";
export { isOffloadKey, makeOffloadKey, offloadKeyGroup, offloadKeyHash } from "./contracts/offload-key.js";
export { OffloadPolicy } from "./contracts/offload-policy.js";
export { SecondaryTierManager } from "./contracts/secondary-tier-manager.js";
export { storageNamespace } from "./contracts/storage-namespace.js";
export { TierFilter } from "./contracts/tier-filter.js";
export { createDashboardHandler } from "./dashboard/create-dashboard-handler.js";
export { dashboardSource } from "./dashboard/dashboard-source.js";
export { Detector } from "./decorators/detector.js";
export { Policy } from "./decorators/policy.js";
export { SecondaryTier } from "./decorators/secondary-tier.js";
export { ERROR_CODES, KvTierError } from "./errors/kv-tier-error.js";
export { KvEventPublisher } from "./events/kv-event-publisher.js";
export { OffloadingSpecFactory } from "./factory/offloading-spec-factory.js";
export { CPUOffloadingSpec, TieringOffloadingSpec } from "./factory/offloading-specs.js";
export { parseTieringConfig } from "./factory/parse-tiering-config.js";
export { SecondaryTierFactory } from "./factory/secondary-tier-factory.js";
export { tieringModule } from "./factory/tiering-module.js";
export { TieringOffloadingManager } from "./orchestrator/tiering-offloading-manager.js";
export { PrimaryKvView } from "./primary/primary-kv-view.js";
export { BlockStoreTier } from "./tiers/shared/block-store-tier.js";
export { ExampleTier } from "./tiers/example/example-tier.js";
export { FsTier } from "./tiers/fs/fs-tier.js";
export { LogTier } from "./tiers/log/log-tier.js";
export { ObjTier } from "./tiers/obj/obj-tier.js";
export { RedisTier } from "./tiers/redis/redis-tier.js";
export { detectorToken, policyToken, specToken, tierToken, TOKENS } from "./tokens.js";
