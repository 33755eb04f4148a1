import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { TierRig } from "../../../../src/testing/conformance/tier-rig.js";
import { FaultProxy } from "../../../support/fault-proxy.js";
import { BUCKET, makeObjTier } from "../../../support/obj/make-obj-tier.js";
import { startS3Emulator, type S3Emulator } from "../../../support/obj/s3-emulator.js";
import { withTempFolder } from "../../../support/temp-folder.js";
import { errorOf } from "../../../support/tiering-container.js";
import { createTlsIdentity } from "../../../support/tls-identity.js";

describe("An obj tier over https", () => {
  const identity = createTlsIdentity();
  let emulator: S3Emulator;
  let proxy: FaultProxy;
  beforeEach(async () => {
    emulator = await startS3Emulator(BUCKET);
    proxy = await FaultProxy.start(`http://${emulator.endpoint}`, identity);
  });
  afterEach(async () => {
    await proxy.close();
    await emulator.close();
  });

  /** Runs `body` with a tier whose `ca_bundle` is a file with this text. */
  const use = (bundle: string, body: (rig: TierRig, file: string) => Promise<void>): Promise<void> =>
    withTempFolder(async (folder) => {
      const caBundle = join(folder, "ca.pem");
      await writeFile(caBundle, bundle);
      await TierRig.use(
        (env) => makeObjTier(proxy.endpoint, { store: { caBundle }, context: env }),
        (rig) => body(rig, caBundle),
      );
    });

  it.each([
    ["of the server's authority alone", identity.cert],
    ["with others beside it, and text", `# ours\n${createTlsIdentity().cert}\n# theirs\n${identity.cert}`],
  ])("stores and loads with a ca_bundle %s", (_name, bundle) =>
    use(bundle, async (rig) => {
      expect(await rig.store([1, 2])).toMatchObject({ success: true });
      expect(await rig.verdict(1, "a")).toBe("hit");
      expect(await rig.load([1, 2], [9, 10])).toMatchObject({ success: true });
      expect([rig.faultOf(1, 9), rig.faultOf(2, 10)]).toEqual([null, null]);
    }),
  );

  it("says to set ca_bundle when the server's authority is not in it, and when there is none", async () => {
    const other = await errorOf(() => use(createTlsIdentity().cert, async () => {}));
    const tier = makeObjTier(proxy.endpoint);
    const none = await errorOf(() => tier.initialize());
    await tier.shutdown();
    for (const { message } of [other, none]) expect(message).toContain("is not trusted: name its file in ca_bundle");
  });

  it.each([
    ["holds none", "not a certificate", /"[^"]*ca\.pem" holds no certificate in PEM/],
    ["holds a key", identity.key, /holds no certificate in PEM/],
    [
      "holds one that is damaged",
      `${identity.cert}${identity.cert.replace(/\n[^\n]+\n/, `\n${randomBytes(48).toString("base64")}\n`)}`,
      /certificate 2 in it is damaged/,
    ],
  ])("names option and file when the ca_bundle %s", async (_name, bundle, message) => {
    const error = await errorOf(() => use(bundle, async () => {}));
    expect(error).toMatchObject({
      code: "CONFIG_INVALID",
      problems: [{ path: "store_config.ca_bundle", message: expect.stringMatching(message) as unknown }],
    });
    expect(error.message).not.toContain("PRIVATE KEY");
  });
});
