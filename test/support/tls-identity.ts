import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import type { TlsIdentity } from "./loopback-server.js";

const DAY_MS = 86_400_000;
/** Tags of ASN.1. */
const [BOOLEAN, INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, UTF8_STRING, UTC_TIME, SEQUENCE, SET] = [
  0x01, 0x02, 0x03, 0x04, 0x06, 0x0c, 0x17, 0x30, 0x31,
];
const IP_ADDRESS = 0x87;
const explicit = (n: number): number => 0xa0 + n;
const ECDSA_WITH_SHA256 = der(OBJECT_ID, Buffer.from("2a8648ce3d040302", "hex"));
const COMMON_NAME = der(OBJECT_ID, Buffer.from("550403", "hex"));
const BASIC_CONSTRAINTS = der(OBJECT_ID, Buffer.from("551d13", "hex"));
const ALTERNATIVE_NAME = der(OBJECT_ID, Buffer.from("551d11", "hex"));
const TRUE = der(BOOLEAN, Buffer.of(0xff));

/** A certificate for 127.0.0.1 that is its own authority, made afresh, and its key. */
export function createTlsIdentity(): TlsIdentity {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  // One of its own: an authority is looked up by its name.
  const text = der(UTF8_STRING, Buffer.from(`kvtier test ${randomBytes(8).toString("hex")}`));
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, text)));
  const isAuthority = extension(BASIC_CONSTRAINTS, der(SEQUENCE, TRUE));
  const address = extension(ALTERNATIVE_NAME, der(SEQUENCE, der(IP_ADDRESS, Buffer.of(127, 0, 0, 1))));
  const content = der(
    SEQUENCE,
    der(explicit(0), der(INTEGER, Buffer.of(2))),
    der(INTEGER, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    name,
    der(SEQUENCE, utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(explicit(3), der(SEQUENCE, isAuthority, address)),
  );
  const signature = der(BIT_STRING, Buffer.of(0), sign("sha256", content, privateKey));
  const certificate = der(SEQUENCE, content, algorithm, signature);
  return { cert: pem("CERTIFICATE", certificate), key: privateKey.export({ type: "pkcs8", format: "pem" }) as string };
}

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function extension(id: Buffer, value: Buffer): Buffer {
  return der(SEQUENCE, id, der(OCTET_STRING, value));
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`));
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
