import { mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { KvTierError } from "../../../../src/errors/kv-tier-error.js";
import { createTestSpec } from "../../../../src/testing/create-test-spec.js";
import { fsNamespace } from "../../../../src/tiers/fs/namespace.js";
import { openNamespace } from "../../../../src/tiers/disk/open-namespace.js";
import { filesBelow, withTempFolder } from "../../../support/temp-folder.js";

const namespace = fsNamespace(createTestSpec().model, 256);

async function failureOf(promise: Promise<unknown>): Promise<KvTierError> {
  const reason: unknown = await promise.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  );
  if (!KvTierError.is(reason, "TIER_INIT_FAILED")) throw reason;
  return reason;
}

describe("openNamespace", () => {
  it("makes the root and the folders, describes the namespace, and leaves nothing else", () =>
    withTempFolder(async (folder) => {
      const root = join(folder, "a", "b");
      expect(await openNamespace(root, namespace)).toBe(join(root, namespace.blocks));
      expect(await filesBelow(root)).toEqual([`${namespace.name}/config.json`]);
      expect(await readFile(join(root, namespace.name, "config.json"), "utf8")).toBe(namespace.config);
    }));

  it("opens what is there, at once too", () =>
    withTempFolder(async (root) => {
      await Promise.all([1, 2, 3, 4].map(() => openNamespace(root, namespace)));
      expect(await openNamespace(root, namespace)).toBe(join(root, namespace.blocks));
      expect(await filesBelow(root)).toEqual([`${namespace.name}/config.json`]);
    }));

  it("refuses a namespace that describes something else", () =>
    withTempFolder(async (root) => {
      await openNamespace(root, namespace);
      const config = join(root, namespace.name, "config.json");
      await writeFile(config, namespace.config.replace("float16", "float8"));
      const { message } = await failureOf(openNamespace(root, namespace));
      expect(message).toContain(config);
      expect(message).toContain("choose another root_dir");
    }));

  it("names root_dir and what to do when it is a file", () =>
    withTempFolder(async (folder) => {
      const file = join(folder, "file");
      await writeFile(file, "");
      for (const root of [file, join(file, "below")]) {
        const { message, cause } = await failureOf(openNamespace(root, namespace));
        expect(message).toContain(`root_dir ${JSON.stringify(root)} cannot be used`);
        expect(message).toMatch(/file.*choose another folder/i);
        expect(cause).toBeDefined();
      }
    }));

  it("fails at once where no folder can be made, however deep", async () => {
    for (const root of ["/proc/kv", "/proc/kv/a/b"]) {
      const { message, cause } = await failureOf(openNamespace(root, namespace));
      expect(message).toMatch(/^root_dir "\/proc\/kv.* cannot be used: .*choose another one\.$/i);
      expect(cause).toMatchObject({ code: "ENOENT", path: "/proc/kv" });
    }
  });

  it("names root_dir when it is no possible path", async () => {
    expect((await failureOf(openNamespace("a\0b", namespace))).message).toContain("root_dir");
  });

  it("takes a root that is a link", () =>
    withTempFolder(async (folder) => {
      await mkdir(join(folder, "disk"));
      await symlink(join(folder, "disk"), join(folder, "root"));
      expect(await openNamespace(join(folder, "root"), namespace)).toBe(join(folder, "disk", namespace.blocks));
    }));

  it.each(["name", "blocks"] as const)("does not follow a link in the place of the folder by its %s", (which) =>
    withTempFolder(async (folder) => {
      const [root, outside] = [join(folder, "root"), join(folder, "outside")];
      await openNamespace(root, namespace);
      await mkdir(outside);
      await rm(join(root, namespace[which]), { recursive: true });
      await symlink(outside, join(root, namespace[which]));
      expect((await failureOf(openNamespace(root, namespace))).message).toContain("not followed");
      expect(await filesBelow(outside)).toEqual([]);
    }),
  );
});
