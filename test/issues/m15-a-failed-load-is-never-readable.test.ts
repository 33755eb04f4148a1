import { describe, expect, it } from "@jest/globals";
import { keysOf, request, StepRig } from "../unit/orchestrator/step-rig.js";

describe("M15: a block whose load failed is never readable", () => {
  it("over a pool full of another's bytes: a miss, and no way to read the slot", async () => {
    const rig = new StepRig({ blocks: 2 });
    await rig.seed(1);
    for (let slot = 0; slot < 2; slot++) rig.view.block(slot).fill(0x5a);
    rig.look(1);
    rig.step();
    const readable = (): void => {
      expect(() => rig.manager.prepareLoad(keysOf(1), request())).toThrow(
        expect.objectContaining({ code: "INVALID_STATE" }),
      );
    };
    readable();
    rig.tier.release(undefined, { success: false });
    readable();
    rig.step();
    readable();
    expect(rig.look(1)).toBe("miss");
    expect(rig.manager.isResident(keysOf(1)[0] ?? raise())).toBe(false);
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ promotionFailures: 1, bytesRead: 0 });
  });

  it("nor while another request writes it, nor after that has failed", () => {
    const rig = new StepRig();
    rig.prepare("w", 1);
    expect(() => rig.manager.prepareLoad(keysOf(1), request())).toThrow(/still being written/);
    rig.manager.completeStore(keysOf(1), request("w"), false);
    expect(() => rig.manager.prepareLoad(keysOf(1), request())).toThrow(/not in the primary pool/);
  });
});

function raise(): never {
  throw new Error("No key.");
}
