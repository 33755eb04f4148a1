import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { ObjRig } from "../support/obj/obj-rig.js";
import { refuse } from "../support/obj/scripted-s3.js";

const VARIABLE = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
const ANONYMOUS = { store: { accessKey: "", secretKey: "" } };

describe("O5: keys of the credential chain that expire early", () => {
  let issuer: Server;
  /** How many keys were handed out; the session token is the number. */
  let issued: number;

  beforeEach(async () => {
    issued = 0;
    issuer = createServer((_request, response) => {
      issued++;
      const Expiration = new Date(Date.now() + 6 * 3_600_000).toISOString();
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ AccessKeyId: "k", SecretAccessKey: "s", Token: `t${issued}`, Expiration }));
    }).listen(0, "127.0.0.1");
    await once(issuer, "listening");
    process.env[VARIABLE] = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/`;
    process.env.AWS_EC2_METADATA_DISABLED = "true";
  });
  afterEach(async () => {
    delete process.env[VARIABLE];
    delete process.env.AWS_EC2_METADATA_DISABLED;
    issuer.close();
    issuer.closeAllConnections();
    await once(issuer, "close");
  });

  /** The server takes this token alone. */
  const acceptOnly = (rig: ObjRig, token: string): void => {
    rig.s3.script = (call, response) => {
      if (call.headers["x-amz-security-token"] === token) return false;
      if (call.method === "HEAD") response.writeHead(400).end();
      else refuse(response, 400, "ExpiredToken");
      return true;
    };
  };

  it("are renewed once for ten stores at the same time, which all succeed", () =>
    ObjRig.use({ ...ANONYMOUS, config: { ioThreads: 11 } }, async (rig) => {
      expect(issued).toBe(1);
      acceptOnly(rig, "t2");
      const stores = Array.from({ length: 10 }, (_, n) => rig.submitStore(n));
      for (const store of stores) expect(await rig.resultOf(store)).toMatchObject({ success: true });
      expect([issued, rig.figure("credentialRefreshes")]).toEqual([2, 1]);
    }));

  it("are renewed for look-ups too, whose answers do not say why", () =>
    ObjRig.use(ANONYMOUS, async (rig) => {
      await rig.store(1);
      acceptOnly(rig, "t2");
      expect(await rig.verdict(1, "a")).toBe("hit");
      expect(rig.figure("breakerOpens")).toBe(0);
    }));

  it("fail a job, without a loop, when the new ones are no better", () =>
    ObjRig.use(ANONYMOUS, async (rig) => {
      acceptOnly(rig, "never");
      expect(await rig.store(1)).toMatchObject({ success: false });
      expect(issued).toBe(2);
      expect(rig.s3.countOf("PUT")).toBe(2);
      expect(await rig.store(2)).toMatchObject({ success: false });
      expect(issued).toBe(3);
    }));
});
