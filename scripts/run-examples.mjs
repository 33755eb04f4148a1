// Builds the examples against the built package, as an application would, and runs them: all, or those named.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const examples = fileURLToPath(new URL("../examples", import.meta.url));
const build = path.join(examples, ".build");
const JEST_CONFIG = JSON.stringify({ testEnvironment: "node", transform: {} });
const JEST_NODE_OPTIONS = "--experimental-vm-modules --no-warnings";
const wanted = process.argv.slice(2);
const names = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && /^\d\d-/.test(entry.name))
  // Those with a package.json are packages of their own: run-engine-examples.mjs.
  .filter((entry) => !existsSync(path.join(examples, entry.name, "package.json")))
  .map((entry) => entry.name)
  .filter((name) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)))
  .sort();

if (names.length === 0) {
  console.error(`No example is called ${wanted.join(", ")}. See the folder examples/.`);
  process.exit(2);
}

rmSync(build, { recursive: true, force: true });
run("tsc", ["-p", examples]);
copyFileSync(
  path.join(examples, "05-out-of-tree-tier/acme-kv-tier/package.json"),
  path.join(build, "05-out-of-tree-tier/acme-kv-tier/package.json"),
);
// A package of its own finds kvtier where an application has it installed.
mkdirSync(path.join(build, "node_modules"));
symlinkSync(path.dirname(examples), path.join(build, "node_modules/kvtier"), "dir");
for (const name of names) {
  console.log(`\n${name}`);
  const main = path.join(build, name, "main.js");
  if (existsSync(main)) run(process.execPath, [main]);
  else run("jest", ["--config", JEST_CONFIG, "--rootDir", path.join(build, name)], { NODE_OPTIONS: JEST_NODE_OPTIONS });
}

/** @param {string} command @param {string[]} args @param {Record<string, string>} [env] */
function run(command, args, env = {}) {
  const isLocal = command !== process.execPath;
  const { status, signal } = spawnSync(isLocal ? "npx" : command, isLocal ? ["--no-install", command, ...args] : args, {
    cwd: path.dirname(examples),
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  if (status === 0) return;
  const why = status === 13 ? "13 (it ended while something was awaited)" : (status ?? signal);
  console.error(`\n${command} ${args.join(" ")} failed: exit code ${why}`);
  process.exit(1);
}
