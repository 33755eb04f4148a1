import { createPrivateKey, X509Certificate, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { codeOf } from "../remote/code-of.js";
import type { RedisTlsConfig } from "./redis-tls-config.js";

/** The first certificate of a file in PEM; what stands around it is text for people. */
const CERTIFICATE = /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/;
/** A key with a passphrase, in either of its formats. What Node says of one differs with its version. */
const LOCKED = /-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m;

/**
 * Options of a socket that is encrypted. Reads the files that the config names, and makes sure that they hold what they
 * should: a socket that cannot be made would name neither.
 *
 * @throws Error naming the option and its file, and nothing of what is in it
 */
export async function tlsSettings(tls: RedisTlsConfig): Promise<Record<string, unknown>> {
  const [ca, cert, key] = await Promise.all([
    contentOf("tls.ca_file", tls.caFile),
    contentOf("tls.cert_file", tls.certFile),
    contentOf("tls.key_file", tls.keyFile),
  ]);
  if (ca !== undefined) certificateIn(ca, named("tls.ca_file", tls.caFile));
  checkIdentity(tls, cert, key);
  return {
    tls: true,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(tls.serverName !== undefined && { servername: tls.serverName }),
    rejectUnauthorized: tls.verify,
  };
}

/** What this client shows of itself. */
function checkIdentity(tls: RedisTlsConfig, cert: Buffer | undefined, key: Buffer | undefined): void {
  const [certName, keyName] = [named("tls.cert_file", tls.certFile), named("tls.key_file", tls.keyFile)];
  if (cert === undefined && key === undefined) return;
  if (key === undefined) throw new Error(`${certName} needs tls.key_file, its private key.`);
  if (cert === undefined) throw new Error(`${keyName} needs tls.cert_file, the certificate that it belongs to.`);
  const certificate = certificateIn(cert, certName);
  if (!certificate.checkPrivateKey(privateKeyIn(key, keyName))) {
    throw new Error(`${keyName} is not the private key of ${certName}.`);
  }
}

function certificateIn(content: Buffer, name: string): X509Certificate {
  try {
    // Node reads DER here too, which its sockets do not.
    if (CERTIFICATE.test(content.toString("latin1"))) return new X509Certificate(content);
  } catch {
    // What the parser says of it is of no use to anybody.
  }
  throw new Error(`${name} holds no certificate in PEM.`);
}

function privateKeyIn(content: Buffer, name: string): KeyObject {
  if (LOCKED.test(content.toString("latin1"))) {
    throw new Error(`${name} is locked with a passphrase: there is no option for that, store it without.`);
  }
  try {
    return createPrivateKey({ key: content, format: "pem" });
  } catch {
    throw new Error(`${name} holds no private key in PEM.`);
  }
}

async function contentOf(option: string, file: string | undefined): Promise<Buffer | undefined> {
  if (file === undefined) return undefined;
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`${named(option, file)} cannot be read (${String(codeOf(cause))}).`, { cause });
  }
}

function named(option: string, file = ""): string {
  return `${option} ${JSON.stringify(file)}`;
}
