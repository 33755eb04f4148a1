import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { describe, expect, it } from "@jest/globals";
import { ScratchFile } from "../../../src/engines/llama/scratch-file.js";
import { openFilesBelow, withTempFolder } from "../../support/temp-folder.js";

describe("ScratchFile", () => {
  it("can be read by its path as it was written, and is as long", async () => {
    await withTempFolder(async (folder) => {
      const file = await ScratchFile.create(4, folder);
      await file.write(Uint8Array.of(1, 2, 3, 4, 5));
      await file.write(Uint8Array.of(6, 7));
      expect([...(await readFile(file.path))]).toEqual([6, 7]);
      await file.close();
    });
  });

  it("reads what was written by its path", async () => {
    await withTempFolder(async (folder) => {
      const file = await ScratchFile.create(4, folder);
      await writeFile(file.path, Uint8Array.of(8, 9));
      expect(await file.read()).toEqual(Uint8Array.of(8, 9));
      await file.close();
    });
  });

  it("is for this user alone, and leaves nothing when it is closed", async () => {
    await withTempFolder(async (folder) => {
      const file = await ScratchFile.create(4, folder);
      expect((await stat(file.path)).mode & 0o777).toBe(0o600);
      await file.close();
      expect([await readdir(folder), await openFilesBelow(folder)]).toEqual([[], []]);
    });
  });

  const onLinux = process.platform === "linux" ? it : it.skip;

  // Elsewhere the system does not tell which files are open.
  onLinux("is made in the temporary folder when memory has no room for it", async () => {
    const before = new Set(await openFilesBelow(tmpdir()));
    const file = await ScratchFile.create(Number.MAX_SAFE_INTEGER);
    const opened = (await openFilesBelow(tmpdir())).filter((path) => !before.has(path));
    await file.close();
    expect(opened).toEqual([expect.stringContaining("kvtier-state-")]);
  });
});
