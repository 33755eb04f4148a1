import { generateKeyPairSync } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { describe, expect, it } from "@jest/globals";
import { RedisTlsConfig } from "../../../../src/tiers/redis/redis-tls-config.js";
import { tlsSettings } from "../../../../src/tiers/redis/tls-settings.js";
import { withTempFolder } from "../../../support/temp-folder.js";

const [CERTIFICATE = ""] = rootCertificates;
const SECRET = "pa55-phrase";
const keyIn = (options: object): string => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ format: "pem", type: "pkcs8", ...options }).toString();
};

type Contents = Partial<Record<"caFile" | "certFile" | "keyFile", string>>;

/** What comes of files with these contents: each is named `<option>.pem`. */
function outcomeOf(contents: Contents): Promise<unknown> {
  return withTempFolder(async (folder) => {
    const files: Contents = {};
    for (const [option, content] of Object.entries(contents) as [keyof Contents, string][]) {
      files[option] = join(folder, `${option}.pem`);
      await writeFile(files[option], content);
    }
    return tlsSettings(Object.assign(new RedisTlsConfig(), files)).catch((error: unknown) => String(error));
  });
}

describe("the files of the option tls", () => {
  it("are read", async () => {
    const settings = await outcomeOf({ caFile: `of the authority\n${CERTIFICATE}` });
    expect(settings).toMatchObject({ tls: true, rejectUnauthorized: true, ca: expect.any(Buffer) as unknown });
  });

  it.each<[string, Contents, RegExp]>([
    ["a CA file that is no PEM", { caFile: "none" }, /tls\.ca_file ".*caFile\.pem" holds no certificate in PEM/],
    [
      "a CA file with a certificate that is none",
      { caFile: "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n" },
      /tls\.ca_file ".*caFile\.pem" holds no certificate in PEM/,
    ],
    ["a CA file with a key", { caFile: keyIn({}) }, /tls\.ca_file ".*" holds no certificate/],
    [
      "a certificate that is none",
      { certFile: keyIn({}), keyFile: keyIn({}) },
      /tls\.cert_file ".*certFile\.pem" holds no certificate in PEM/,
    ],
    [
      "a key that is none",
      { certFile: CERTIFICATE, keyFile: SECRET },
      /tls\.key_file ".*" holds no private key in PEM/,
    ],
    [
      "a key with a passphrase",
      { certFile: CERTIFICATE, keyFile: keyIn({ cipher: "aes-256-cbc", passphrase: SECRET }) },
      /tls\.key_file ".*keyFile\.pem" is locked with a passphrase/,
    ],
    [
      "a key of another certificate",
      { certFile: CERTIFICATE, keyFile: keyIn({}) },
      /tls\.key_file ".*keyFile\.pem" is not the private key of tls\.cert_file ".*certFile\.pem"/,
    ],
    ["a certificate without its key", { certFile: CERTIFICATE }, /tls\.cert_file ".*" needs tls\.key_file/],
    ["a key without its certificate", { keyFile: keyIn({}) }, /tls\.key_file ".*" needs tls\.cert_file/],
  ])("name option and file, and nothing of what is in it: %s", async (_name, contents, message) => {
    const outcome = await outcomeOf(contents);
    expect(outcome).toMatch(message);
    expect(outcome).not.toMatch(/BEGIN|pa55/);
  });

  it("name the one that cannot be read", async () => {
    const tls = Object.assign(new RedisTlsConfig(), { caFile: "/no/such/file.pem" });
    await expect(tlsSettings(tls)).rejects.toThrow('tls.ca_file "/no/such/file.pem" cannot be read (ENOENT)');
  });
});
