import { plainToInstance } from "class-transformer";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import type { FaultyDisk } from "../../src/testing/faulty-disk.js";
import type { DiskIo } from "../../src/tiers/disk/disk-io.js";
import { LogTierConfig } from "../../src/tiers/log/log-tier-config.js";
import { LogTier } from "../../src/tiers/log/log-tier.js";

export interface LogTierOptions {
  /** Options of the tier, in camelCase; `rootDir` is the folder given. */
  readonly config?: Partial<LogTierConfig>;
  readonly context?: Partial<TierContext<LogTierConfig>>;
  /** What is under its worker threads; absent: the real disk. */
  readonly disk?: FaultyDisk;
}

/** A log tier on `rootDir`, not initialized yet. */
export function makeLogTier(rootDir: string, { config, context, disk }: LogTierOptions = {}): LogTier {
  const full = createTierContext({
    tierType: "log",
    ...context,
    config: plainToInstance(LogTierConfig, { rootDir, ...config }, { exposeDefaultValues: true }),
  });
  return disk === undefined ? new LogTier(full) : new LogTierOn(disk, full);
}

class LogTierOn extends LogTier {
  readonly #disk: FaultyDisk;

  constructor(disk: FaultyDisk, context: TierContext<LogTierConfig>) {
    super(context);
    this.#disk = disk;
  }

  protected override get io(): DiskIo {
    return this.#disk.io;
  }
}
