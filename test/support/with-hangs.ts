import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import type { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { makeFsTier } from "./make-fs-tier.js";

export const DEADLINE_S = 30;

export interface HangRig {
  readonly rig: TierRig;
  readonly clock: ManualClock;
  readonly disk: FaultyDisk;
}

/** A tier whose calls can be made to hang so that nothing interrupts them, on a clock moved by hand. */
export async function withHangs(
  body: (parts: HangRig) => Promise<void>,
  config: Partial<FsTierConfig> = {},
): Promise<void> {
  const clock = new ManualClock();
  const disk = new FaultyDisk();
  await TierRig.use(
    (env) => makeFsTier(env.folder, { context: { ...env, clock }, config: { deadlineS: DEADLINE_S, ...config }, disk }),
    async (rig) => {
      // Whatever happens: a process with a thread that hangs in a call cannot end.
      try {
        await body({ rig, clock, disk });
      } finally {
        disk.close();
      }
    },
  );
}
