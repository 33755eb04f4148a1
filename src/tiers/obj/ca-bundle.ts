import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { configInvalid } from "../../config/config-invalid.js";
import { reasonOf } from "../../errors/factory-errors.js";
import type { KvTierError } from "../../errors/kv-tier-error.js";

const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/**
 * The certificates of authorities in `file`. To a socket a file that holds none is no fault: it says of the server then that
 * it is not to be trusted.
 *
 * @throws KvTierError `CONFIG_INVALID` naming option and file
 */
export async function readCaBundle(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw unusable(`cannot be read: ${reasonOf(cause)}`);
  });
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length === 0) throw unusable(`${JSON.stringify(file)} holds no certificate in PEM`);
  for (const [i, certificate] of certificates.entries()) {
    if (!isCertificate(certificate)) throw unusable(`${JSON.stringify(file)}: certificate ${i + 1} in it is damaged`);
  }
  return text;
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}

function unusable(message: string): KvTierError {
  return configInvalid([{ path: "store_config.ca_bundle", message }]);
}
