import type { LogTierConfig } from "../../src/tiers/log/log-tier-config.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { makeLogTier } from "./make-log-tier.js";

/**
 * A process with a log of its own, for tests: `log-process.ts <root> <from> <to> <options as JSON>` stores the blocks
 * `from` to `to - 1` of a `TierRig`, four at a time, until a store fails. It prints a line of JSON for each job, whether
 * it succeeded, and ends in order.
 */
const [root = "", from, to, options = "{}"] = process.argv.slice(2);
const IN_JOB = 4;

await TierRig.use(
  (env) => makeLogTier(root, { context: env, config: JSON.parse(options) as Partial<LogTierConfig> }),
  async (rig) => {
    for (let first = Number(from); first < Number(to); first += IN_JOB) {
      const ns = Array.from({ length: Math.min(IN_JOB, Number(to) - first) }, (_, i) => first + i);
      ns.forEach((n, slot) => rig.fill(slot, rig.bytesOf(n)));
      const { success } = await rig.store(ns, Array.from(ns.keys()));
      process.stdout.write(`${JSON.stringify(success)}\n`);
      if (!success) return;
    }
  },
);
