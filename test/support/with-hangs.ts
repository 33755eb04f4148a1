import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { FsFaults } from "./fs-faults.js";
import { makeFsTier } from "./make-fs-tier.js";

export const DEADLINE_S = 30;

export interface HangRig {
  readonly rig: TierRig;
  readonly clock: ManualClock;
  readonly faults: FsFaults;
  /** Lets every hung call go on. */
  readonly release: () => Promise<void>;
}

/** A tier whose calls can be made to hang so that nothing interrupts them, on a clock moved by hand. */
export async function withHangs(body: (parts: HangRig) => Promise<void>): Promise<void> {
  const clock = new ManualClock();
  const faults = new FsFaults();
  await TierRig.use(
    (env) => {
      faults.prepareHang(env.folder);
      return makeFsTier(env.folder, { context: { ...env, clock }, config: { deadlineS: DEADLINE_S }, faults });
    },
    async (rig) => {
      // Released whatever happens: a process with a thread that hangs in a call cannot end.
      const release = (): Promise<void> => faults.release(rig.env.folder);
      try {
        await body({ rig, clock, faults, release });
      } finally {
        await release();
      }
    },
  );
}
