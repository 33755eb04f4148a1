import type { SignatureV4 } from "@smithy/signature-v4";
import { createHash } from "node:crypto";
import type { Credentials } from "./credentials.js";
import type { S3Endpoint } from "./endpoint.js";
import type { ObjPeers } from "./obj-peers.js";
import { Sha256 } from "./sha256.js";

export interface SignerParts {
  readonly peers: ObjPeers;
  readonly endpoint: S3Endpoint;
  readonly region: string;
  readonly credentials: Credentials;
  /** Whether a body's SHA-256 is part of the signature, which the server verifies then. */
  readonly signsBody: boolean;
}

export interface UnsignedRequest {
  readonly method: string;
  /** As it is sent, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

export interface SignedRequest {
  readonly headers: Record<string, string>;
}

const SHA256_HEADER = "x-amz-content-sha256";

/** Signs requests for S3 by AWS's own signer. */
export class S3Signer {
  readonly #parts: SignerParts;
  readonly #signer: SignatureV4;

  constructor(parts: SignerParts) {
    this.#parts = parts;
    this.#signer = new parts.peers.signature.SignatureV4({
      service: "s3",
      region: parts.region,
      credentials: () => parts.credentials.keys(),
      sha256: Sha256,
      // The path is in its final form, as S3 alone among AWS's services wants it.
      uriEscapePath: false,
      applyChecksum: false,
    });
  }

  async sign({ method, path, query, headers, body }: UnsignedRequest): Promise<SignedRequest> {
    const { endpoint, signsBody } = this.#parts;
    return this.#signer.sign({
      method,
      protocol: "https:",
      hostname: endpoint.host,
      path,
      query: { ...query },
      headers: {
        ...headers,
        host: endpoint.host,
        [SHA256_HEADER]: signsBody && body !== undefined ? sha256Of(body) : "UNSIGNED-PAYLOAD",
      },
    });
  }
}

function sha256Of(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}
