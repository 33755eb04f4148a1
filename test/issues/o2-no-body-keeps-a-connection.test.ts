import { describe, expect, it } from "@jest/globals";
import { BLOCK_BYTES, ObjRig } from "../support/obj/obj-rig.js";

describe("O2: bodies that nobody wants", () => {
  it("leave no connection busy: after 200 loads of the wrong length the next one succeeds", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      rig.s3.script = (call, response) => {
        if (call.method !== "GET") return false;
        response.end(Buffer.alloc(BLOCK_BYTES + 1));
        return true;
      };
      const loads = Array.from({ length: 200 }, (_, n) => rig.submitLoad(n, 300));
      for (const load of loads) expect(await rig.resultOf(load)).toMatchObject({ success: false });
      rig.s3.script = () => false;
      await rig.store(1);
      expect(await rig.load(1, 301)).toMatchObject({ success: true });
      expect(rig.slot(301)).toEqual(rig.slot(1));
      expect(rig.slot(300).every((byte) => byte === 301 % 256)).toBe(true);
      expect(rig.figure("breakerOpens")).toBe(0);
    }));

  it("are not asked for by look-ups, which keep their connections", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      for (let i = 0; i < 20; i++) expect(await rig.verdict(i, `r${i}`)).toBe(i === 1 ? "hit" : "miss");
      expect(rig.s3.countOf("GET")).toBe(0);
      expect(rig.s3.countOf("HEAD")).toBe(20);
      expect(await rig.s3.connections()).toBeLessThan(5);
    }));
});
