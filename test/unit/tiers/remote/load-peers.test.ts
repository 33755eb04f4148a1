import { describe, expect, it } from "@jest/globals";
import { loadPeers } from "../../../../src/tiers/remote/load-peers.js";
import { errorOf } from "../../../support/tiering-container.js";

const PACKAGES = ["acme-client@7", "@acme/signer@2"];

describe("Loading optional packages", () => {
  it("answers with what was loaded", async () => {
    expect(await loadPeers("The acme tier", PACKAGES, async () => ({ connect: 1 }))).toEqual({ connect: 1 });
  });

  it("names them and the command that installs them when one is missing", async () => {
    const missing = "acme-client-that-nobody-has";
    const load = (): Promise<unknown> => import(missing) as Promise<unknown>;
    const error = await errorOf(() => loadPeers("The acme tier", PACKAGES, load));
    expect(error).toMatchObject({
      code: "PEER_DEPENDENCY_MISSING",
      message:
        "The acme tier needs the packages acme-client, @acme/signer, and not all is installed. " +
        "Run: npm install acme-client@7 @acme/signer@2",
    });
  });

  it("passes on what a package that is there fails with", async () => {
    const broken = new Error("needs Node 30");
    expect(await errorOf(() => loadPeers("The acme tier", PACKAGES, () => Promise.reject(broken)))).toBe(broken);
  });
});
