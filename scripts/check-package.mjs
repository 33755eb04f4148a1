// Packs the package, installs the tarball into an empty project and uses every entry point as an application would:
// by import, by require, from TypeScript, and in NestJS.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkNestApp } from "./check-nest-app.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports: entries, devDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
const specifiers = Object.keys(entries)
  .filter((entry) => entry !== "./package.json")
  .map((entry) => path.posix.join("kvtier", entry));
/** What a user gets, and nothing else. */
const BELONGS = /^(dist\/|docs\/|examples\/|package\.json$|README\.md$|LICENSE$|CHANGELOG\.md$)/;
/** What an application of NestJS installs. */
const NEST = ["common", "core", "platform-express", "config", "terminus"]
  .map((name) => `@nestjs/${name}`)
  .concat("rxjs");
const project = mkdtempSync(path.join(tmpdir(), "kvtier-package-"));

/** @param {string} command @param {string[]} args @param {string} [cwd] */
const run = (command, args, cwd = project) => execFileSync(command, args, { cwd, encoding: "utf8" });

try {
  const packed = JSON.parse(run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], root));
  /** @type {{ filename: string, files: { path: string }[] }[]} */
  const tarballs = Array.isArray(packed) ? packed : Object.values(packed);
  const { filename, files } = tarballs[0] ?? raise("npm pack printed nothing");
  const stray = files.map(({ path: file }) => file).filter((file) => !BELONGS.test(file));
  if (stray.length > 0) throw new Error(`The tarball holds files that do not belong there: ${stray.join(", ")}`);

  writeFileSync(path.join(project, "package.json"), JSON.stringify({ name: "app", private: true, type: "module" }));
  const others = ["typescript", "@types/node", ...NEST].map((name) => `${name}@${devDependencies[name]}`);
  run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", `./${filename}`, ...others]);

  for (const specifier of specifiers) {
    const show = `const names = Object.keys(m); if (names.length === 0) throw new Error("nothing exported"); console.log(names.length)`;
    const imported = run("node", ["--input-type=module", "-e", `const m = await import("${specifier}"); ${show}`]);
    const required = run("node", ["--input-type=commonjs", "-e", `const m = require("${specifier}"); ${show}`]);
    console.log(`${specifier}: ${imported.trim()} exports by import, ${required.trim()} by require`);
  }

  writeFileSync(path.join(project, "app.ts"), typescriptApp());
  run("npx", ["--no-install", "tsc", ...tscFlags(), "app.ts"]);
  console.log(`TypeScript app: ${run("node", ["app.js"]).trim()}`);
  writeFileSync(path.join(project, "tiers.mjs"), diskTiersApp());
  console.log(`Tiers with threads: ${run("node", ["tiers.mjs"]).trim()}`);
  writeFileSync(path.join(project, "container.mjs"), containerApp());
  console.log(`Container of the app's own: ${run("node", ["container.mjs"]).trim()}`);
  for (const type of /** @type {const} */ (["module", "commonjs"])) {
    console.log(`NestJS app, ${type}: ${await checkNestApp(project, type, tscFlags())}`);
  }
  writeFileSync(path.join(project, "page.mjs"), pageApp());
  console.log(`The dashboard's page: ${run("node", ["page.mjs"]).trim()}`);
  console.log(`kvtier --version: ${run("npx", ["--no-install", "kvtier", "--version"]).trim()}`);
} finally {
  rmSync(project, { recursive: true, force: true });
}

function tscFlags() {
  return ["--module", "nodenext", "--target", "es2022", "--strict", "--experimentalDecorators", "--types", "node"];
}

function typescriptApp() {
  return `
import { BlockStoreTier, createTiering, makeOffloadKey, Medium, SecondaryTier, type OffloadKey } from "kvtier";

@SecondaryTier("mine", { medium: Medium.Cpu })
class MyTier extends BlockStoreTier {
  readonly #blocks = new Map<OffloadKey, Uint8Array>();
  async exists(keys: readonly OffloadKey[]) { return keys.map((key) => this.#blocks.has(key)); }
  async write(key: OffloadKey, block: Uint8Array) { this.#blocks.set(key, new Uint8Array(block)); }
  async read(key: OffloadKey, into: Uint8Array) { into.set(this.#blocks.get(key) ?? new Uint8Array()); }
}

const { cache, close } = await createTiering(
  { cpu_bytes_to_use: 4096, block_bytes: 1024, model: { name: "m", dtype: "f16", tokens_per_block: 16 }, secondary_tiers: [{ type: "mine" }] },
  { tiers: [MyTier] },
);
const key = makeOffloadKey("ab".repeat(32));
console.log(await cache.put([key], [new Uint8Array(1024)]), "block stored");
await close();
`;
}

/** As the README has it, for an application that has its services in a container. */
function containerApp() {
  return `
import { Container } from "inversify";
import { createOffloadingSpec, createTiering, makeOffloadKey, parseTieringConfig, PrimaryKvView, tieringModule, TOKENS } from "kvtier";

const raw = {
  cpu_bytes_to_use: 4096, block_bytes: 1024, model: { name: "m", dtype: "f16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "example" }],
};
const config = parseTieringConfig(raw);
const container = new Container();
container.load(tieringModule({
  primaryKvView: PrimaryKvView.allocate(config.numBlocks, config.blockBytes),
  offloadingSpec: createOffloadingSpec(config),
}));
const factory = container.get(TOKENS.tierFactory);
const tier = await factory.createSecondaryTier(config.secondaryTiers[0], { index: 0 });
await factory.close();

const app = new Container();
app.bind("prompts").toDynamicValue((context) => ({ cache: context.get(TOKENS.kvCache) }));
const { close } = await createTiering(raw, { container: app });
const stored = await app.get("prompts").cache.put([makeOffloadKey("ab".repeat(32))], [new Uint8Array(1024)]);
await close();
console.log(tier.tierType + ", " + stored + " block stored");
`;
}

/** Threads load files of their own, which no import of an entry shows to be there. */
function diskTiersApp() {
  return `
import { createTiering, makeOffloadKey } from "kvtier";

const tiers = [{ type: "fs", root_dir: "blocks", max_bytes: "1MiB" }, { type: "log", root_dir: "log", max_bytes: "1MiB" }];
for (const tier of tiers) {
  const { cache, manager, close } = await createTiering(
    { cpu_bytes_to_use: 4096, block_bytes: 1024, model: { name: "m", dtype: "f16", tokens_per_block: 16 }, secondary_tiers: [tier] },
  );
  const key = makeOffloadKey("cd".repeat(32));
  await cache.put([key], [new Uint8Array(1024).fill(7)]);
  await cache.flush();
  await manager.resetCache();
  const [block] = await cache.get([key]);
  if (block?.every((byte) => byte === 7) !== true) throw new Error(tier.type + " gave no block back");
  console.log(tier.type);
  await close();
}
`;
}

/** The page is files of its own too. */
function pageApp() {
  return `
import { once } from "node:events";
import { createServer } from "node:http";
import { createDashboardHandler, createTiering, dashboardSource } from "kvtier";

const { container, close } = await createTiering(
  { cpu_bytes_to_use: 4096, block_bytes: 1024, model: { name: "m", dtype: "f16", tokens_per_block: 16 } },
);
const page = createDashboardHandler([dashboardSource("m", container)]);
const server = createServer((request, response) => page(request, response) || response.writeHead(404).end());
await once(server.listen(0, "127.0.0.1"), "listening");
const asked = new Set([""]);
for (const name of asked) {
  const response = await fetch("http://127.0.0.1:" + server.address().port + "/" + name);
  if (!response.ok) throw new Error("There is no " + name);
  for (const [, other] of (await response.text()).matchAll(/(?:from ?"\\.\\/|(?:href|src)=")(\\w[\\w.-]+)"/g)) asked.add(other);
}
if (asked.size < 10) throw new Error("Only " + [...asked]);
console.log(asked.size, "files");
page.close();
server.close();
server.closeAllConnections();
await close();
`;
}

/** @param {string} message @returns {never} */
function raise(message) {
  throw new Error(message);
}
