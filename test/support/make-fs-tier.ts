import { plainToInstance } from "class-transformer";
import type { TierContext } from "../../src/contracts/tier-context.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import type { DiskIo } from "../../src/tiers/disk/disk-io.js";
import { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { FsTier } from "../../src/tiers/fs/fs-tier.js";
import type { FsFaults } from "./fs-faults.js";

export interface FsTierOptions {
  /** Options of the tier, in camelCase; `rootDir` is the folder given. */
  readonly config?: Partial<FsTierConfig>;
  readonly context?: Partial<TierContext<FsTierConfig>>;
  readonly faults?: FsFaults;
}

/** An fs tier on `rootDir`, not initialized yet. */
export function makeFsTier(rootDir: string, { config, context, faults }: FsTierOptions = {}): FsTier {
  const full = createTierContext({
    tierType: "fs",
    ...context,
    config: plainToInstance(FsTierConfig, { rootDir, ...config }, { exposeDefaultValues: true }),
  });
  return faults === undefined ? new FsTier(full) : new FaultyFsTier(full, faults);
}

class FaultyFsTier extends FsTier {
  readonly #faults: FsFaults;

  constructor(context: TierContext<FsTierConfig>, faults: FsFaults) {
    super(context);
    this.#faults = faults;
  }

  protected override get io(): DiskIo {
    return { ioModule: this.#faults.ioModule, ioControl: this.#faults.ioControl };
  }
}
