import { describe, expect, it } from "@jest/globals";
import { ObjRig } from "../support/obj/obj-rig.js";
import { refuse } from "../support/obj/scripted-s3.js";

describe("O3: servers that know only what S3 once was", () => {
  it("are sent no checksums of newer clients, and no bodies in chunks", () =>
    ObjRig.use({}, async (rig) => {
      rig.s3.script = (call, response) => {
        const isNew = Object.keys(call.headers).some((name) => /^x-amz-(?:checksum|sdk|trailer)|^trailer$/.test(name));
        if (!isNew && call.headers["transfer-encoding"] === undefined) return false;
        refuse(response, 501, "NotImplemented");
        return true;
      };
      expect(await rig.store(1)).toMatchObject({ success: true });
      expect(await rig.load(1, 300)).toMatchObject({ success: true });
    }));

  it("may not know conditions either", () =>
    ObjRig.use({}, async (rig) => {
      rig.s3.script = (call, response) => {
        if (call.headers["if-none-match"] === undefined) return false;
        refuse(response, 501, "NotImplemented");
        return true;
      };
      expect(await rig.store(1)).toMatchObject({ success: true });
      expect(await rig.store(2)).toMatchObject({ success: true });
      expect(rig.s3.countOf("PUT")).toBe(3);
    }));
});
