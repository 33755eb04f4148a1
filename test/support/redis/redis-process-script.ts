import { TierRig } from "../../../src/testing/conformance/tier-rig.js";
import { makeRedisTier } from "./make-redis-tier.js";

/** A second process for tests of the redis tier: stores the blocks 0 to `count - 1`, with what the argument says. */
export interface OtherProcess {
  readonly nodes: readonly string[];
  readonly keyPrefix: string;
  readonly dtype: string;
  readonly count: number;
}

const { nodes, keyPrefix, dtype, count } = JSON.parse(process.argv[2] ?? "{}") as OtherProcess;

await TierRig.use(
  (env) => {
    const { offloadingSpec: spec } = env;
    const offloadingSpec = { ...spec, model: { ...spec.model, dtype } };
    return makeRedisTier({ config: { nodes, keyPrefix }, context: { ...env, offloadingSpec } });
  },
  async (rig) => {
    const { success } = await rig.store(Array.from({ length: count }, (_, n) => n));
    if (!success) throw new Error("The blocks could not be stored.");
  },
);
