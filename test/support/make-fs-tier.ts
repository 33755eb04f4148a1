import { plainToInstance } from "class-transformer";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import type { FaultyDisk } from "../../src/testing/faulty-disk.js";
import type { DiskIo } from "../../src/tiers/disk/disk-io.js";
import { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { FsTier } from "../../src/tiers/fs/fs-tier.js";

export interface FsTierOptions {
  /** Options of the tier, in camelCase; `rootDir` is the folder given. */
  readonly config?: Partial<FsTierConfig>;
  readonly context?: Partial<TierContext<FsTierConfig>>;
  /** What is under its worker threads; absent: the real disk. */
  readonly disk?: FaultyDisk;
}

/** An fs tier on `rootDir`, not initialized yet. */
export function makeFsTier(rootDir: string, { config, context, disk }: FsTierOptions = {}): FsTier {
  const full = createTierContext({
    tierType: "fs",
    ...context,
    config: plainToInstance(FsTierConfig, { rootDir, ...config }, { exposeDefaultValues: true }),
  });
  return disk === undefined ? new FsTier(full) : new FsTierOn(disk, full);
}

class FsTierOn extends FsTier {
  readonly #disk: FaultyDisk;

  constructor(disk: FaultyDisk, context: TierContext<FsTierConfig>) {
    super(context);
    this.#disk = disk;
  }

  protected override get io(): DiskIo {
    return this.#disk.io;
  }
}
