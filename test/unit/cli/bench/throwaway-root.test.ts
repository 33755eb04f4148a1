import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { ThrowawayRoot } from "../../../../src/cli/bench/throwaway-root.js";
import { withTempFolder } from "../../../support/temp-folder.js";

function rootOf(config: Record<string, unknown>): ThrowawayRoot {
  const root = ThrowawayRoot.of(config, "mine");
  if (root === null) throw new Error("no root");
  return root;
}

describe("ThrowawayRoot", () => {
  it("is a hidden folder in the tier's, in the spelling of the config", () => {
    expect(rootOf({ type: "fs", root_dir: "/kv" }).config).toEqual({ type: "fs", root_dir: "/kv/.mine" });
    expect(rootOf({ type: "fs", rootDir: "/kv" }).config).toEqual({ type: "fs", rootDir: "/kv/.mine" });
  });

  it("is one in each folder that blocks are spread over", () => {
    const { config } = rootOf({ root_dir: "/a, /b", path_sharding: "by_block_hash" });
    expect(config.root_dir).toBe("/a/.mine,/b/.mine");
  });

  it("takes a comma for a part of the name where blocks are not spread", () => {
    expect(rootOf({ root_dir: "/a,b" }).config.root_dir).toBe("/a,b/.mine");
  });

  it("is nothing for a tier without such a folder", () => {
    expect(ThrowawayRoot.of({ type: "example" }, "mine")).toBeNull();
  });

  it("goes with all that is in it, and leaves what was there", async () => {
    await withTempFolder(async (folder) => {
      await writeFile(join(folder, "theirs"), "");
      const root = rootOf({ root_dir: folder });
      await root.create();
      await mkdir(join(folder, ".mine", "blocks"));
      await writeFile(join(folder, ".mine", "blocks", "one.bin"), "");
      await root.remove();
      expect(await readdir(folder)).toEqual(["theirs"]);
    });
  });

  it("takes the folders along that it made on the way, unless somebody uses them now", async () => {
    await withTempFolder(async (folder) => {
      const empty = rootOf({ root_dir: join(folder, "empty", "kv") });
      const used = rootOf({ root_dir: join(folder, "used", "kv") });
      await empty.create();
      await used.create();
      await writeFile(join(folder, "used", "theirs"), "");
      await empty.remove();
      await used.remove();
      expect(existsSync(join(folder, "empty"))).toBe(false);
      expect(await readdir(join(folder, "used"))).toEqual(["theirs"]);
    });
  });

  it("refuses a folder that is there already: it would be removed", async () => {
    await withTempFolder(async (folder) => {
      await mkdir(join(folder, ".mine"));
      await expect(rootOf({ root_dir: folder }).create()).rejects.toThrow("EEXIST");
    });
  });
});
