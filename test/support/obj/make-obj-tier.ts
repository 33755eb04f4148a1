import { plainToInstance } from "class-transformer";
import type { TierContext } from "../../../src/contracts/tier-context.js";
import { createTierContext } from "../../../src/testing/create-tier-context.js";
import { ObjTierConfig } from "../../../src/tiers/obj/obj-tier-config.js";
import { ObjTier } from "../../../src/tiers/obj/obj-tier.js";
import type { ObjStoreConfig } from "../../../src/tiers/obj/store-config.js";

export const BUCKET = "kv";

export interface ObjTierOptions {
  /** Options of the tier and of its store, in camelCase; `endpointOverride` is the one given, the bucket {@link BUCKET}. */
  readonly config?: Partial<Omit<ObjTierConfig, "storeConfig">>;
  readonly store?: Partial<ObjStoreConfig>;
  readonly context?: Partial<TierContext<ObjTierConfig>>;
}

/** An obj tier on the server at `endpoint`, not initialized yet. It hardly waits between tries. */
export function makeObjTier(endpoint: string, { config, store, context }: ObjTierOptions = {}): ObjTier {
  const storeConfig = {
    bucket: BUCKET,
    endpointOverride: endpoint,
    accessKey: "S3RVER",
    secretKey: "S3RVER",
    ...store,
  };
  return new ImpatientObjTier(
    createTierContext({
      tierType: "obj",
      ...context,
      config: plainToInstance(ObjTierConfig, { ...config, storeConfig }, { exposeDefaultValues: true }),
    }),
  );
}

class ImpatientObjTier extends ObjTier {
  protected override readonly retryDelayMs = 1;
}
