import { describe, expect, it } from "@jest/globals";
import { missingPeer } from "../../../src/cli/missing-peer.js";

const PEERS = ["class-validator", "inversify"];

const notFound = (name: string): Error =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /app/x.js`), { code: "ERR_MODULE_NOT_FOUND" });

describe("missingPeer", () => {
  it("says what to install", () => {
    expect(missingPeer(notFound("inversify"), PEERS)).toBe(
      "The package 'inversify' is not installed. Install what kvtier works with: npm install class-validator inversify",
    );
  });

  it.each([notFound("lodash"), new Error("Cannot find package 'inversify'"), "inversify", undefined])(
    "says nothing of %p",
    (error) => expect(missingPeer(error, PEERS)).toBeUndefined(),
  );
});
