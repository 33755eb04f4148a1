import type { DynamicModule, ModuleMetadata } from "@nestjs/common";
import { Test, type TestingModule, type TestingModuleBuilder } from "@nestjs/testing";
import { makeOffloadKey, type OffloadKey } from "../../src/contracts/offload-key.js";
import type { TieringConfigInput } from "../../src/config/tiering-config-input.js";
import { silentLogger } from "../../src/contracts/logger.js";
import type { KvTierModuleExtras, KvTierModuleOptions } from "../../src/nest/kv-tier-module-options.js";
import { KvTierModule } from "../../src/nest/kv-tier.module.js";

export const BLOCK_BYTES = 1024;

/** A config with a pool of `blocks` blocks of 1 KiB. */
export const nestConfig = (tiers: TieringConfigInput["secondary_tiers"] = [], blocks = 16): TieringConfigInput => ({
  cpu_bytes_to_use: blocks * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "test-model", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: tiers,
});

/** A module with a silent cache; absent: over an `example` tier. */
export const cacheModule = (
  options: Partial<KvTierModuleOptions & KvTierModuleExtras> = {},
  config = nestConfig([{ type: "example" }]),
): DynamicModule => KvTierModule.forRoot({ config, logger: silentLogger, ...options });

/** A Nest application, initialized. */
export async function startApp(
  metadata: ModuleMetadata,
  override: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
): Promise<TestingModule> {
  const app = await override(Test.createTestingModule(metadata)).compile();
  return app.init();
}

/** As {@link startApp}, closed after `body`, however that ends. */
export async function withApp<T>(
  metadata: ModuleMetadata,
  body: (app: TestingModule) => Promise<T>,
  override?: (builder: TestingModuleBuilder) => TestingModuleBuilder,
): Promise<T> {
  const app = await startApp(metadata, override);
  try {
    return await body(app);
  } finally {
    await app.close();
  }
}

export const nestKeys = (count: number, from = 0): OffloadKey[] =>
  Array.from({ length: count }, (_, i) => makeOffloadKey(Uint8Array.of((from + i) >> 8, (from + i) & 255)));

/** The block of {@link nestKeys}' key number `i`. */
export const nestBlock = (i: number): Uint8Array => new Uint8Array(BLOCK_BYTES).fill(i % 251);

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
