import "reflect-metadata";
import { TierRig } from "../../../src/testing/conformance/tier-rig.js";
import type { ObjStoreConfig } from "../../../src/tiers/obj/store-config.js";
import { makeObjTier } from "./make-obj-tier.js";

/** A second process for tests of the obj tier: stores the blocks 0 to `count - 1`, with what the argument says. */
export interface OtherProcess {
  readonly endpoint: string;
  readonly store: Partial<ObjStoreConfig>;
  readonly prefix: string;
  readonly dtype: string;
  readonly count: number;
}

const { endpoint, store, prefix, dtype, count } = JSON.parse(process.argv[2] ?? "{}") as OtherProcess;

await TierRig.use(
  (env) => {
    const { offloadingSpec: spec } = env;
    const offloadingSpec = { ...spec, model: { ...spec.model, dtype } };
    return makeObjTier(endpoint, { store, config: { prefix }, context: { ...env, offloadingSpec } });
  },
  async (rig) => {
    const { success } = await rig.store(Array.from({ length: count }, (_, n) => n));
    if (!success) throw new Error("The blocks could not be stored.");
  },
);
