import { describe, expect, it } from "@jest/globals";
import { COOL_DOWN_S, FAILURES_TO_OPEN } from "../../src/tiers/remote/circuit.js";
import { ObjRig } from "../support/obj/obj-rig.js";
import { refuse } from "../support/obj/scripted-s3.js";

describe("O1: uploads that a server refuses", () => {
  it.each([
    [500, "InternalError"],
    [403, "AccessDenied"],
  ])(
    "are failed jobs with the status %d in their error, open the breaker, and are over when one succeeds",
    (status, code) =>
      ObjRig.use({}, async (rig) => {
        rig.s3.script = (call, response) => {
          if (call.method !== "PUT") return false;
          refuse(response, status, code);
          return true;
        };
        for (let n = 0; n < FAILURES_TO_OPEN; n++) expect(await rig.store(n)).toMatchObject({ success: false });
        expect(rig.lines.map((line) => line.fields?.error)).toContain(
          `PUT was answered ${status} ${code}: That is ${code}.`,
        );
        expect(rig.figure("breakerOpen")).toBe(1);

        const calls = rig.s3.calls.length;
        expect(await rig.store(10)).toMatchObject({ success: false, dropped: true });
        expect(rig.s3.calls.length).toBe(calls);

        rig.s3.script = () => false;
        rig.clock.advance(COOL_DOWN_S);
        expect(await rig.store(11)).toMatchObject({ success: true });
        expect(rig.figure("breakerOpen")).toBe(0);
      }),
  );
});
