import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SRC = path.join(ROOT, "src");

const read = (file: string): string => readFileSync(path.join(ROOT, file), "utf8");

/** Every source file, by its path below `src`. */
const FILES = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.c?[jt]s$/.test(entry.name))
  .map((entry) => path.relative(SRC, path.join(entry.parentPath, entry.name)))
  .sort();

const TEXTS = new Map(FILES.map((file) => [file, read(path.join("src", file))]));

/** The source files that `file` imports, or names by a URL as workers are; nothing outside `src`. */
function importsOf(file: string): string[] {
  const text = TEXTS.get(file) ?? "";
  const specifiers = text.matchAll(/(?:\bfrom|\bimport|\bimport\(|new URL\()\s*"(\.[^"]+)"/g);
  return [...specifiers]
    .map(([, specifier = ""]) => path.join(path.dirname(file), specifier))
    .filter((target) => !target.startsWith(".."))
    .map((target) => (TEXTS.has(target) ? target : target.replace(/\.js$/, ".ts")));
}

/** The rows of the map in CONTRIBUTING.md, each the folders of one rank, such as `tiers/<type>/`. */
const MAP = [...read("CONTRIBUTING.md").matchAll(/^\| (`[^|]+`) +\|/gm)].map(([, cell = ""]) =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name.replace(/\/$/, "")),
);

/** `primary`, `tiers/shared`, `tiers/fs`, or the name of a file that lies in `src` itself. */
function folderOf(file: string): string {
  const [first = "", second = ""] = file.split("/");
  return first === "tiers" ? `${first}/${second}` : first;
}

function rankOf(file: string): number {
  const folder = folderOf(file);
  if (folder === "index.ts") return MAP.length;
  const exact = MAP.findIndex((names) => names.includes(folder));
  return exact !== -1 || !folder.startsWith("tiers/")
    ? exact
    : MAP.findIndex((names) => names.includes("tiers/<type>"));
}

const isConcreteTier = (file: string): boolean => /^tiers\/(?!shared\/|disk\/|remote\/)/.test(file);

describe("the source tree", () => {
  it("has every folder on the map of CONTRIBUTING.md", () => {
    expect(MAP.length).toBeGreaterThan(10);
    expect(FILES.length).toBeGreaterThan(100);
    expect(FILES.filter((file) => rankOf(file) === -1)).toEqual([]);
  });

  it("imports nothing that is not there", () => {
    const dangling = FILES.flatMap((file) => importsOf(file).filter((target) => !TEXTS.has(target)));
    expect(dangling).toEqual([]);
  });

  it("has arrows that point one way: a folder imports those above it on the map", () => {
    const wrong = FILES.flatMap((file) =>
      importsOf(file)
        .filter((target) => folderOf(target) !== folderOf(file) && rankOf(target) >= rankOf(file))
        // `tokens.ts` and `errors/` share a row: names that everything else uses.
        .filter((target) => rankOf(file) !== 0 || folderOf(target) !== "tokens.ts")
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("names concrete tiers in the factory and the barrel alone", () => {
    const wrong = FILES.filter((file) => !isConcreteTier(file) && folderOf(file) !== "factory" && file !== "index.ts")
      .flatMap((file) => importsOf(file).map((target) => ({ file, target })))
      .filter(({ target }) => isConcreteTier(target));
    expect(wrong).toEqual([]);
  });

  it("keeps one built-in tier from another", () => {
    const wrong = FILES.filter(isConcreteTier).flatMap((file) =>
      importsOf(file).filter((target) => isConcreteTier(target) && folderOf(target) !== folderOf(file)),
    );
    expect(wrong).toEqual([]);
  });

  it("has no file that nothing leads to", () => {
    const entries = JSON.parse(read("scripts/entries.json")) as Record<string, string>;
    const roots = Object.values(entries).map((module) => `${module}.ts`);
    const reached = new Set<string>();
    for (const queue = [...roots]; queue.length > 0;) {
      const file = queue.pop() ?? "";
      if (reached.has(file)) continue;
      reached.add(file);
      queue.push(...importsOf(file));
    }
    expect(FILES.filter((file) => !reached.has(file))).toEqual([]);
    expect(roots.filter((file) => !TEXTS.has(file))).toEqual([]);
  });

  it("publishes each entry as the bundle of that name", () => {
    const { exports, bin } = JSON.parse(read("package.json")) as {
      exports: Record<string, string | { default: string }>;
      bin: Record<string, string>;
    };
    const published = [...Object.values(exports), ...Object.values(bin)].map((entry) =>
      typeof entry === "string" ? entry : entry.default,
    );
    const entries = JSON.parse(read("scripts/entries.json")) as Record<string, string>;
    expect(published.filter((entry) => entry.startsWith("./dist/")).sort()).toEqual(
      Object.keys(entries)
        .map((name) => `./dist/bundle/${name}.js`)
        .sort(),
    );
  });

  it("has no file over 300 lines", () => {
    expect(FILES.filter((file) => (TEXTS.get(file) ?? "").split("\n").length - 1 > 300)).toEqual([]);
  });

  it("takes no clock, randomness or environment from the air, but for the command line", () => {
    const taken = /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.(?:env|hrtime)\b|\bperformance\.now\b/;
    const wrong = FILES.filter(
      // The page runs in a browser, with nobody to inject anything.
      (file) => folderOf(file) !== "cli" && !file.startsWith("dashboard/page/") && taken.test(TEXTS.get(file) ?? ""),
    );
    // The clock of the process is where the injected clock comes from.
    expect(wrong).toEqual(["contracts/clock.ts"]);
  });

  it("says `private` with a hash", () => {
    expect(FILES.filter((file) => /^\s+private (?!constructor)/m.test(TEXTS.get(file) ?? ""))).toEqual([]);
  });

  it("has no top-level await, which `require` cannot load", () => {
    expect(
      FILES.filter((file) => /^await\s|^(?:export )?(?:const|let) .*= await\s/m.test(TEXTS.get(file) ?? "")),
    ).toEqual([]);
  });

  it("starts its threads from CommonJS: one that is ended while it requires an ES module aborts the process", () => {
    const starters = [...TEXTS].filter(([, text]) => /\bnew Worker\(/.test(text));
    expect(starters.map(([file]) => file)).toEqual(["tiers/disk/disk-thread.ts"]);
    expect(starters[0]?.[1]).toContain('const ENTRY = new URL("./worker/thread-entry.cjs", import.meta.url);');
    expect(starters[0]?.[1]).toContain("new Worker(ENTRY, {");
  });

  it("loads reflect-metadata before anything else in every entry", () => {
    for (const entry of FILES.filter((file) => /^(?:\w+\/)?index\.ts$/.test(file))) {
      expect(`${entry}: ${TEXTS.get(entry)?.split("\n")[0]}`).toBe(`${entry}: import "reflect-metadata";`);
    }
  });
});
