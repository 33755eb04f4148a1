import "reflect-metadata";
import { Type } from "class-transformer";
import { ValidateNested } from "class-validator";
import { ByteSize } from "../../../src/config/byte-size-option.js";
import type { ConfigCatalog, DetectorContract } from "../../../src/config/config-catalog.js";
import { Count, Fraction, Seconds } from "../../../src/config/number-options.js";
import { NotAbove } from "../../../src/config/order-options.js";
import { Flag, OneOf, Text } from "../../../src/config/value-options.js";
import type { ConfigContract } from "../../../src/contracts/tier-metadata.js";

export class StoreOptions {
  @Text() bucket!: string;
  @Text() endpointOverride!: string;
  @Text({ empty: true }) secretKey = "";
}

export class ShopOptions {
  @ValidateNested() @Type(() => StoreOptions) storeConfig!: StoreOptions;
  @Count() ioThreads = 4;
  @OneOf(["LOCAL", "REMOTE"], { optional: true }) locality?: string;
}

export class DiskOptions {
  @Text() rootDir!: string;
  @ByteSize({ optional: true }) maxBytes?: number;
  @Count() nReadThreads = 2;
  @Flag() checksum = true;
}

export class MarksOptions {
  @Seconds() highWaterS!: number;
  @Seconds({ zero: true }) @NotAbove("highWaterS") lowWaterS!: number;
  @Fraction() alpha = 0.3;
}

class RampOptions {
  @Seconds() rampFactor = 2;
}

const TIERS = new Map<string, ConfigContract>([
  ["disk", DiskOptions],
  ["shop", ShopOptions],
  ["bare", null],
  ["free", "passthrough"],
]);
const DETECTORS = new Map<string, DetectorContract>([
  ["MarksDetector", { config: MarksOptions, defaults: () => ({ highWaterS: 0.005, low_water_s: 0.001 }) }],
  [
    "BrokenDetector",
    {
      config: MarksOptions,
      defaults: () => {
        throw new TypeError("hunter2");
      },
    },
  ],
]);
const POLICIES = new Map<string, ConfigContract>([
  ["RampPolicy", RampOptions],
  ["DropPolicy", null],
]);

const contractOf = (contracts: ReadonlyMap<string, ConfigContract>, name: string) => {
  const config = contracts.get(name);
  return config === undefined ? undefined : { config };
};

/** A few tiers, detectors and policies, one of each kind of contract; `lazy` is registered and not yet imported. */
export const sampleCatalog: ConfigCatalog = {
  tier: (type) => contractOf(TIERS, type),
  isKnownType: (type) => TIERS.has(type) || type === "lazy",
  tierTypes: () => [...TIERS.keys(), "lazy"],
  detector: (name) => DETECTORS.get(name),
  detectorNames: () => [...DETECTORS.keys()],
  policy: (name) => contractOf(POLICIES, name),
  policyNames: () => [...POLICIES.keys()],
  defaultPolicy: "RampPolicy",
  isKnownSpec: (name) => ["TieringOffloadingSpec", "CPUOffloadingSpec"].includes(name),
  specNames: () => ["TieringOffloadingSpec", "CPUOffloadingSpec"],
};

/** A small valid config around `secondary_tiers`. */
export const sampleConfig = (...tiers: unknown[]): Record<string, unknown> => ({
  cpu_bytes_to_use: "8MiB",
  block_bytes: "1MiB",
  model: { name: "llama", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: tiers,
});
