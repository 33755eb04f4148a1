import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "@jest/globals";
import { Sha256 } from "../../../../src/tiers/obj/sha256.js";

const PIECES = ["", "one", "two"].map((text) => Buffer.from(text));

async function digestOf(sha: Sha256, pieces: readonly Uint8Array[]): Promise<string> {
  for (const piece of pieces) sha.update(piece);
  return Buffer.from(await sha.digest()).toString("hex");
}

describe("The hash that requests are signed with", () => {
  it.each([[[]], [PIECES.slice(0, 1)], [PIECES.slice(1, 2)], [PIECES]])(
    "is SHA-256 of all pieces: %j",
    async (pieces) => {
      expect(await digestOf(new Sha256(), pieces)).toBe(
        createHash("sha256").update(Buffer.concat(pieces)).digest("hex"),
      );
    },
  );

  it.each(["key", Buffer.from("key"), new Uint8Array(Buffer.from("key")).buffer])(
    "is an HMAC with a key",
    async (key) => {
      expect(await digestOf(new Sha256(key), PIECES)).toBe(createHmac("sha256", "key").update("onetwo").digest("hex"));
    },
  );
});
