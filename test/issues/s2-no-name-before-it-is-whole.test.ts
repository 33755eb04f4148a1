import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { filesBelow } from "../support/temp-folder.js";
import { withHangs } from "../support/with-hangs.js";

describe("S2: a block has no name before all of it is written", () => {
  it("while its write is under way, there is no block file, and nobody finds it", async () => {
    await withHangs(async ({ rig, disk }) => {
      const blockFiles = async (): Promise<string[]> =>
        (await filesBelow(rig.env.folder)).filter((file) => file.endsWith(".bin"));
      disk.set("write", { hang: true });
      const store = rig.submitStore([1], [1]);
      await disk.untilHung(1);
      expect(await blockFiles()).toEqual([]);
      expect((await filesBelow(rig.env.folder)).filter((file) => file.endsWith(".tmp"))).toHaveLength(1);
      await TierRig.use(
        () => makeFsTier(rig.env.folder, { context: rig.env }),
        async (other) => expect(await other.verdict(1, "a")).toBe(LookupResult.Miss),
      );

      disk.release();
      expect((await rig.resultOf(store)).success).toBe(true);
      expect(await blockFiles()).toHaveLength(1);
    });
  });
});
