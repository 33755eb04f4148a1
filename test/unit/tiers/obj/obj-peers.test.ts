import { describe, expect, it } from "@jest/globals";
import { loadObjPeers, type ObjPeers } from "../../../../src/tiers/obj/obj-peers.js";
import { errorOf } from "../../../support/tiering-container.js";

describe("The packages of the obj tier", () => {
  const missing = "a-package-that-nobody-has";
  const load = (): Promise<ObjPeers> => import(missing) as Promise<ObjPeers>;

  it.each([
    [false, "npm install undici@7 @smithy/signature-v4@5"],
    [true, "npm install undici@7 @smithy/signature-v4@5 @aws-sdk/credential-provider-node@3"],
  ])("are named, with the command that installs them, when one is missing (chain: %s)", async (wantsChain, command) => {
    const error = await errorOf(() => loadObjPeers(wantsChain, load));
    expect(error).toMatchObject({ code: "PEER_DEPENDENCY_MISSING" });
    expect(error.message.endsWith(`Run: ${command}`)).toBe(true);
  });

  it("are there without the chain when the keys are given", async () => {
    expect((await loadObjPeers(false)).chain).toBe(null);
  });
});
