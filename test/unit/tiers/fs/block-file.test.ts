import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { makeOffloadKey, type OffloadKey } from "../../../../src/contracts/offload-key.js";
import { blockFileOf, keyOfBlockFile } from "../../../../src/tiers/fs/block-file.js";
import { isOurFileName, isSubFolderName, tempFileName } from "../../../../src/tiers/fs/worker/file-names.js";

const hashes = fc.uint8Array({ minLength: 1, maxLength: 64 });
const groups = fc.integer({ min: 0, max: 0xffffffff });

describe("blockFileOf", () => {
  it("names the file after the lower-case hex of the hash and the group", () => {
    expect(blockFileOf(makeOffloadKey("ABCDEF01", 12))).toBe("ab/abcdef01_g12.bin");
  });

  it("gives every key a file of its own, in a sub-folder, under a name that is known as a block's", () => {
    fc.assert(
      fc.property(hashes, groups, hashes, groups, (hashA, groupA, hashB, groupB) => {
        const a = makeOffloadKey(hashA, groupA);
        const b = makeOffloadKey(hashB, groupB);
        const file = blockFileOf(a) ?? "";
        expect(file).toMatch(/^[0-9a-f]{2}\/[0-9a-f]+_g\d+\.bin$/);
        expect(isSubFolderName(file.slice(0, 2)) && isOurFileName(file.slice(3))).toBe(true);
        expect(file === blockFileOf(b)).toBe(a === b);
        expect(keyOfBlockFile(file)).toBe(a);
      }),
    );
  });

  it.each([
    "../..",
    "/",
    "\\",
    "\0",
    "%2e%2e",
    "",
    "ab",
    "../../etc/passwd00000000",
    "AB0000000000",
    `x${"0".repeat(300)}`,
  ])("has no file for the forged key %j", (key) => {
    expect(blockFileOf(key as OffloadKey)).toBeNull();
  });

  it("has no file for a hash that is too long for a file name", () => {
    const file = blockFileOf(makeOffloadKey("ab".repeat(124)));
    expect(file).toHaveLength("ab/".length + 255);
    expect(blockFileOf(makeOffloadKey("ab".repeat(125)))).toBeNull();
  });
});

describe("keyOfBlockFile", () => {
  it.each(["ab/ab_g4294967296.bin", "ab/ab_g99999999999.bin", "ab/ab_g007.bin", "ab/abc_g0.bin", "ab/ab_g0.tmp"])(
    "knows no key of %s, which is not ours",
    (file) => {
      expect(keyOfBlockFile(file)).toBeNull();
      expect(isOurFileName(file.slice(3))).toBe(false);
    },
  );
});

describe("isOurFileName", () => {
  it("knows what a writer prepares, and no other temporary file", () => {
    expect(isOurFileName(tempFileName("123-0a1b2c3d4e5f-7", 42))).toBe(true);
    expect(
      ["notes.txt", "notes.tmp", "config.json", "a_g0.bin.bak", "z_g0.bin", ".hidden"].filter(isOurFileName),
    ).toEqual([]);
  });
});
