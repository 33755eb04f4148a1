import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "@jest/globals";
import { modelFingerprint } from "../../../src/engines/fingerprint.js";
import { withTempFolder } from "../../support/temp-folder.js";

describe("modelFingerprint", () => {
  it("is the SHA-256 of the file", async () => {
    await withTempFolder(async (folder) => {
      const file = path.join(folder, "model");
      const bytes = Buffer.alloc(200_000, "weights");
      await writeFile(file, bytes);
      expect(await modelFingerprint(file)).toBe(createHash("sha256").update(bytes).digest("hex"));
    });
  });

  it("tells models of several files apart by every file, and by their order", async () => {
    await withTempFolder(async (folder) => {
      const [a, b] = [path.join(folder, "a"), path.join(folder, "b")];
      await writeFile(a, "1");
      await writeFile(b, "2");
      const all = [await modelFingerprint(a), await modelFingerprint(a, b), await modelFingerprint(b, a)];
      expect(new Set(all).size).toBe(3);
    });
  });

  it("fails when there is no such file", async () => {
    await expect(modelFingerprint("/no/such/model.gguf")).rejects.toMatchObject({ code: "ENOENT" });
  });
});
