import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { TOKENS } from "../../../src/tokens.js";
import { withTempFolder } from "../../support/temp-folder.js";
import { errorOf, FIXTURES, testContainer } from "../../support/tiering-container.js";
import type { TieringModuleOptions } from "../../../src/factory/tiering-module.js";

const TIER = `export class AppTier {
  lookup() { return "miss"; }
  submitStore() {}
  submitLoad() {}
  getFinishedJobs() { return []; }
  async drainJobs() { return { unfinished: [] }; }
}
`;

interface App {
  /** The application's folder, `resolveFrom` of {@link App.load}. */
  readonly folder: string;
  /** The folder around it. */
  readonly outside: string;
  readonly write: (file: string, text?: string) => Promise<string>;
  readonly load: (specifier: string, options?: Partial<TieringModuleOptions>) => Promise<string>;
}

/** An application in a folder of its own, with a folder around it that its configs must not reach. */
function withApp(body: (app: App) => Promise<void>): Promise<void> {
  return withTempFolder(async (outside) => {
    const folder = path.join(outside, "app");
    await mkdir(folder);
    await body({
      folder,
      outside,
      async write(file, text = TIER) {
        const full = path.join(folder, file);
        await mkdir(path.dirname(full), { recursive: true });
        await writeFile(full, text);
        return full;
      },
      async load(specifier, options = {}) {
        const { factory } = testContainer({ resolveFrom: folder, ...options });
        return (await factory.getTierClass({ type: "AppTier", module_path: specifier })).name;
      },
    });
  });
}

const packageOf = (fields: object): string => JSON.stringify({ name: "pkg", type: "module", ...fields });

describe("a module that a config names", () => {
  it("may be a file under resolveFrom: relative, absolute, as a URL, or by a link that stays inside", () =>
    withApp(async ({ folder, write, load }) => {
      const file = await write("tiers/my tier.mjs");
      await symlink(file, path.join(folder, "link.mjs"));
      for (const specifier of ["./tiers/my tier.mjs", file, pathToFileURL(file).href, "./link.mjs"]) {
        expect(await load(specifier)).toBe("AppTier");
      }
      expect(await load("./tiers/../link.mjs")).toBe("AppTier");
    }));

  it("may be found from a resolveFrom that is a link itself, by either path", () =>
    withApp(async ({ folder, outside, write, load }) => {
      const file = await write("tier.mjs");
      const alias = path.join(outside, "alias");
      await symlink(folder, alias);
      expect(await load("./tier.mjs", { resolveFrom: alias })).toBe("AppTier");
      expect(await load(file, { resolveFrom: alias })).toBe("AppTier");
      expect(await load(path.join(alias, "tier.mjs"), { resolveFrom: alias })).toBe("AppTier");
    }));

  it("may be a package, found from the application: by main, by import-only exports, by subpath, and further up", () =>
    withApp(async ({ folder, outside, write, load }) => {
      await write("node_modules/plain/package.json", packageOf({ main: "lib.mjs" }));
      await write("node_modules/plain/lib.mjs");
      await write(
        "node_modules/@acme/kv-tier/package.json",
        packageOf({ exports: { ".": { import: "./esm/main.js" } } }),
      );
      await write("node_modules/@acme/kv-tier/esm/main.js");
      await write("node_modules/plain/extra/more.mjs");
      for (const specifier of ["plain", "@acme/kv-tier", "plain/extra/more.mjs"]) {
        expect(await load(specifier)).toBe("AppTier");
      }
      const nested = path.join(folder, "services", "chat");
      await mkdir(nested, { recursive: true });
      expect(await load("plain", { resolveFrom: nested })).toBe("AppTier");
      await expect(load("plain", { resolveFrom: outside })).rejects.toMatchObject({ code: "MODULE_NOT_FOUND" });
    }));

  it("may be CommonJS, also where only its default export shows what it exports", async () => {
    const { factory } = testContainer();
    const target = await factory.getTierClass({ type: "CommonTier", module_path: "./common.cjs" });
    expect(target.name).toBe("CommonTier");
  });

  it.each([
    "../secret.mjs",
    "./../secret.mjs",
    "./tiers/../../secret.mjs",
    "..",
    "/etc/passwd",
    "/nowhere/at/all.mjs",
    "file:///etc/passwd",
    "file:///app/%2e%2e/secret.mjs",
    "file://host/share/x.mjs",
    "data:text/javascript,export class AppTier {}",
    "https://example.org/tier.mjs",
    "http:tier.mjs",
    "node:fs",
    "node:child_process",
    "blob:nodedata:1",
    "fs",
    "fs/promises",
    "child_process",
    "pkg/../../secret.mjs",
    "pkg/..",
    "pkg/%2e%2e/%2e%2e/secret.mjs",
    "pkg/./x",
    "pkg\\..\\secret.mjs",
    "@acme/../secret.mjs",
    "#internal",
    "~/tier.mjs",
    ".hidden/tier.mjs",
    "pkg\u0000",
  ])("is refused when it is %p, whether or not that exists", (specifier) =>
    withApp(async ({ outside, write, load }) => {
      await writeFile(path.join(outside, "secret.mjs"), TIER);
      await write("node_modules/pkg/package.json", packageOf({ main: "lib.mjs" }));
      await write("node_modules/pkg/lib.mjs");
      await write("tiers/tier.mjs");
      await expect(load(specifier)).rejects.toMatchObject({ code: "MODULE_NOT_ALLOWED" });
    }),
  );

  it("is refused when a link leads out of the folder, and so is a file in a linked folder", () =>
    withApp(async ({ folder, outside, load }) => {
      await writeFile(path.join(outside, "secret.mjs"), TIER);
      await symlink(path.join(outside, "secret.mjs"), path.join(folder, "inside.mjs"));
      await symlink(outside, path.join(folder, "around"));
      for (const specifier of ["./inside.mjs", "./around/secret.mjs"]) {
        const error = await errorOf(() => load(specifier));
        expect(error).toMatchObject({ code: "MODULE_NOT_ALLOWED" });
        expect(error.message).toBe(
          `Module '${specifier}' (from ${folder}) may not be loaded: it is the file ${outside}/secret.mjs, outside ` +
            `that folder. Allowed are packages by name and files under ${folder}; ` +
            "anything else needs an entry in 'allowModules'.",
        );
      }
    }));

  it("takes a neighbour whose name begins like the folder's for outside", () =>
    withApp(async ({ outside, load }) => {
      await mkdir(path.join(outside, "app-secrets"));
      await writeFile(path.join(outside, "app-secrets", "x.mjs"), TIER);
      await expect(load("../app-secrets/x.mjs")).rejects.toMatchObject({ code: "MODULE_NOT_ALLOWED" });
    }));

  it("may lie outside with an entry in allowModules: as written, or by its absolute path", () =>
    withApp(async ({ folder, outside, load }) => {
      const file = path.join(outside, "shared.mjs");
      await writeFile(file, TIER);
      await symlink(file, path.join(folder, "link.mjs"));
      const url = pathToFileURL(file).href;
      expect(await load("../shared.mjs", { allowModules: ["../shared.mjs"] })).toBe("AppTier");
      for (const specifier of ["../shared.mjs", file, url, "./link.mjs"]) {
        expect(await load(specifier, { allowModules: [file] })).toBe("AppTier");
      }
      await expect(load("../shared.mjs", { allowModules: ["./shared.mjs", outside] })).rejects.toMatchObject({
        code: "MODULE_NOT_ALLOWED",
      });
    }));

  it.each(["data:text/javascript,", "https://example.org/x.mjs", "node:fs", "fs"])(
    "has no scheme but file:, not even by an entry in allowModules: %s",
    async (specifier) => {
      const { factory } = testContainer({ allowModules: [specifier] });
      const config = { type: "AppTier", module_path: specifier };
      await expect(factory.getTierClass(config)).rejects.toMatchObject({ code: "MODULE_NOT_ALLOWED" });
    },
  );

  it.each([
    ["./tier", " Did you mean './tier.mjs'?"],
    ["./folder", " Did you mean './folder/index.js'?"],
    ["./nothing.mjs", ""],
    ["left-pad-of-nobody", " Install the package there, or check its name."],
    ["folder/index.js", " Did you mean './folder/index.js'?"],
    ["pkg/gone.mjs", ""],
    ["closed/inner.mjs", " Install the package there, or check its name."],
  ])("is not found as %s, and the error helps", (specifier, hint) =>
    withApp(async ({ folder, write, load }) => {
      await write("tier.mjs");
      await write("folder/index.js");
      await write("node_modules/pkg/package.json", packageOf({ main: "lib.mjs" }));
      await write("node_modules/closed/package.json", packageOf({ exports: "./lib.mjs" }));
      await write("node_modules/closed/inner.mjs");
      const error = await errorOf(() => load(specifier));
      expect(error).toMatchObject({ code: "MODULE_NOT_FOUND", cause: { message: expect.any(String) } });
      expect(error.message).toContain(`Module '${specifier}' was not found from ${folder}.${hint}`);
    }),
  );

  it("is not found when resolveFrom is not there", () =>
    withApp(async ({ folder, load }) => {
      const resolveFrom = path.join(folder, "gone");
      await expect(load("./tier.mjs", { resolveFrom })).rejects.toMatchObject({ code: "MODULE_NOT_FOUND" });
    }));

  it("failed to load when it throws, or when something that it imports is missing", async () => {
    const { factory } = testContainer();
    const thrown = await errorOf(() => factory.getTierClass({ type: "X", module_path: "./throws.js" }));
    expect(thrown).toMatchObject({ code: "MODULE_LOAD_FAILED", cause: { name: "TypeError" } });
    expect(thrown.message).toBe(
      `Module './throws.js' (from ${FIXTURES}) threw while loading: no route to redis://[redacted]@cache:6379`,
    );
    const lacking = await errorOf(() =>
      factory.getTierClass({ type: "LackingTier", module_path: "./lacks-import.js" }),
    );
    expect(lacking).toMatchObject({ code: "MODULE_LOAD_FAILED" });
    expect(lacking.message).toContain("nowhere-to-be-found");
  });

  it("is named with the tier that asked for it, wherever that fails", async () => {
    const { factory } = testContainer();
    for (const [type, module_path, code] of [
      ["AcmeTier", "./nowhere.js", "MODULE_NOT_FOUND"],
      ["AcmeTier", "../outside.js", "MODULE_NOT_ALLOWED"],
      ["AcmeTier", "./throws.js", "MODULE_LOAD_FAILED"],
      ["Nobody", "./acme.ts", "EXPORT_MISSING"],
      ["AcmeSpec", "./acme.ts", "NOT_A_TIER"],
    ]) {
      await expect(factory.createSecondaryTier({ type, module_path }, { index: 4 })).rejects.toMatchObject({
        code,
        message: expect.stringContaining(`secondary_tiers[4] ('${type}'): `),
      });
    }
    const backpressure = { backpressure_cls: "./acme.ts#Nobody" };
    await expect(factory.createSecondaryTier({ type: "example", backpressure }, { index: 0 })).rejects.toMatchObject({
      code: "EXPORT_MISSING",
      message: expect.stringMatching(/^secondary_tiers\[0\] \('example'\): Module '.\/acme\.ts' /),
    });
  });

  it.each(["Nobody", "toString", "constructor", "__proto__"])("lacks the export %s", async (type) => {
    const { factory } = testContainer();
    const error = await errorOf(() => factory.getTierClass({ type, module_path: "./acme.ts" }));
    expect(error).toMatchObject({ code: "EXPORT_MISSING" });
    expect(error.message).toContain(
      `Module './acme.ts' (from ${FIXTURES}) has no export '${type}'. It exports: AcmeSpec`,
    );
  });
});

describe("an importer of the application", () => {
  class AppTier {
    lookup(): void {}
    submitStore(): void {}
    submitLoad(): void {}
    getFinishedJobs(): void {}
    drainJobs(): void {}
  }

  it("replaces the whole step, bounds included, and is told where to resolve from", async () => {
    const calls: unknown[] = [];
    const importer = async (...args: unknown[]): Promise<unknown> => {
      calls.push(args);
      return { AppTier };
    };
    const { factory } = testContainer({ importer });
    const config = { type: "AppTier", module_path: "https://example.org/x.mjs" };
    expect(await factory.getTierClass(config)).toBe(AppTier);
    expect(calls).toEqual([["https://example.org/x.mjs", FIXTURES]]);
  });

  it("may be rebound at any time", async () => {
    const { factory, container } = testContainer();
    container.rebind(TOKENS.importer).toConstantValue(() => Promise.resolve({ AppTier }));
    expect(await factory.getTierClass({ type: "AppTier", module_path: "anything" })).toBe(AppTier);
  });

  it.each([undefined, null, 5, "text", {}])("may deliver %p, which exports nothing", async (module) => {
    const { factory } = testContainer({ importer: () => Promise.resolve(module) });
    await expect(factory.getTierClass({ type: "AppTier", module_path: "x" })).rejects.toMatchObject({
      code: "EXPORT_MISSING",
      message: `Module 'x' (from ${FIXTURES}) has no export 'AppTier'. It exports: nothing.`,
    });
  });

  it.each([
    ["Cannot find package 'acme' imported from /app/x.js", "MODULE_NOT_FOUND"],
    ["Cannot find package 'lodash' imported from /app/node_modules/acme/index.js", "MODULE_LOAD_FAILED"],
  ])("has Node's own error told apart: %s", async (message, code) => {
    const cause = Object.assign(new Error(message), { code: "ERR_MODULE_NOT_FOUND" });
    const { factory } = testContainer({ importer: () => Promise.reject(cause) });
    await expect(factory.getTierClass({ type: "AppTier", module_path: "acme" })).rejects.toMatchObject({ code, cause });
  });
});
