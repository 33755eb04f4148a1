import { describe, expect, it } from "@jest/globals";
import { COOL_DOWN_S, FAILURES_TO_OPEN } from "../../../../src/tiers/remote/circuit.js";
import { ObjRig } from "../../../support/obj/obj-rig.js";
import { refuse } from "../../../support/obj/scripted-s3.js";
import { until } from "../../../support/until.js";

const DEADLINE_S = 30;

/** What a request of its own hears of block `n`. */
async function verdictOnce(rig: ObjRig, n: number): Promise<string> {
  const verdict = await rig.verdict(n, "once");
  rig.tier.onRequestFinished({ reqId: "once" });
  return verdict;
}

describe("an S3 server that answers look-ups alone", () => {
  it("is given up when loads hang, so that requests do not wait for the deadline each time", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      rig.s3.script = ({ method }) => method === "GET";
      for (let i = 0; i < FAILURES_TO_OPEN; i++) {
        expect(await verdictOnce(rig, 1)).toBe("hit");
        const asked = rig.s3.countOf("GET");
        const job = rig.submitLoad(1, 300);
        await until("the load to be sent", () => rig.s3.countOf("GET") > asked);
        rig.clock.advance(DEADLINE_S);
        expect(await rig.resultOf(job)).toMatchObject({ success: false });
      }
      expect(await verdictOnce(rig, 1)).toBe("miss");
      expect(rig.figure("breakerOpenLoads")).toBe(1);

      rig.s3.script = () => false;
      rig.clock.advance(COOL_DOWN_S);
      expect(await verdictOnce(rig, 1)).toBe("hit");
      expect(await rig.load(1, 301)).toMatchObject({ success: true });
      expect(rig.slot(301)).toEqual(rig.slot(1));
      expect(rig.figure("breakerOpen")).toBe(0);
    }));

  it("gets no stores while its bucket is gone, of which an answer to HEAD says nothing", () =>
    ObjRig.use({}, async (rig) => {
      rig.s3.script = ({ method }, response) => {
        if (method === "HEAD") response.writeHead(404).end();
        else refuse(response, 404, "NoSuchBucket");
        return true;
      };
      for (let i = 0; i < FAILURES_TO_OPEN; i++) {
        expect(await verdictOnce(rig, i)).toBe("miss");
        expect(await rig.store(i)).toMatchObject({ success: false });
      }
      expect(await rig.store(9)).toMatchObject({ success: false, dropped: true });
      expect(rig.figure("breakerOpenStores")).toBe(1);

      rig.s3.script = () => false;
      rig.clock.advance(COOL_DOWN_S);
      expect(await rig.store(9)).toMatchObject({ success: true });
      expect(await verdictOnce(rig, 9)).toBe("hit");
    }));
});
