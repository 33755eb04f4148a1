// Checks the examples that are packages of their own, since the engines they run are large: installs each from its lock
// file, then this package, packed, beside it; makes a model; and runs its check. All, or those named.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const examples = path.join(root, "examples");
const wanted = process.argv.slice(2);
const names = readdirSync(examples)
  .filter((name) => /^\d\d-/.test(name) && existsSync(path.join(examples, name, "package.json")))
  .filter((name) => wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix)))
  .sort();
if (names.length === 0) {
  console.error(`No example with a package.json is called ${wanted.join(", ")}. See the folder examples/.`);
  process.exit(2);
}

const folder = mkdtempSync(path.join(tmpdir(), "kvtier-examples-"));
try {
  run("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", folder], root);
  const [tarball = ""] = readdirSync(folder);
  for (const name of names) {
    console.log(`\n${name}`);
    const example = path.join(examples, name);
    // Their .npmrc says which parts of an engine are left out.
    run("npm", ["ci", "--silent"], example);
    run("npm", ["install", "--silent", "--no-save", "--no-package-lock", path.join(folder, tarball)], example);
    for (const script of ["build", "model", "check"]) run("npm", ["run", "--silent", "--if-present", script], example);
    lint(name);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** By the rules of this package, with the types of the example's own dependencies. @param {string} name */
function lint(name) {
  const project = path.join(examples, name, "tsconfig.json");
  run("npx", ["--no-install", "tsc", "-p", project], root);
  const options = ["--no-ignore", "--parser-options", `project:${project}`, "--ext", ".ts,.mjs", "--max-warnings", "0"];
  const { include } = JSON.parse(readFileSync(project, "utf8"));
  const files = include.map((/** @type {string} */ pattern) => path.join("examples", name, pattern));
  run("npx", ["--no-install", "eslint", ...options, ...files], root);
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { status, signal } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status === 0) return;
  console.error(`\n${command} ${args.join(" ")} failed in ${path.relative(root, cwd) || "."}: ${status ?? signal}`);
  process.exit(1);
}
