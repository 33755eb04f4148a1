import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/**
 * Checks `ref` out into a temporary folder, with the benches of here, and builds it there.
 *
 * @param {string} ref
 * @returns {{ folder: string, remove: () => void }}
 */
export function buildWorktree(ref) {
  const parent = mkdtempSync(join(tmpdir(), "kvtier-compare-"));
  const folder = join(parent, "base");
  const remove = () => {
    rmSync(parent, { recursive: true, force: true });
    run(ROOT, "git", "worktree", "prune");
  };
  try {
    run(ROOT, "git", "worktree", "add", "--detach", folder, ref);
    if (
      readFileSync(join(folder, "package-lock.json"), "utf8") === readFileSync(join(ROOT, "package-lock.json"), "utf8")
    ) {
      symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    } else {
      run(folder, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund");
    }
    rmSync(join(folder, "bench"), { recursive: true, force: true });
    cpSync(join(ROOT, "bench"), join(folder, "bench"), { recursive: true });
    // The benches find what they need where they come from, also where `ref` does not install it yet.
    symlinkSync(join(ROOT, "node_modules"), join(folder, "bench", "node_modules"));
    build(folder);
    return { folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** @param {string} folder */
export function build(folder) {
  run(folder, "npm", "run", "--silent", "build");
}

/** What it prints is no result. @param {string} cwd @param {string} command @param {string[]} args */
function run(cwd, command, ...args) {
  execFileSync(command, args, { cwd, stdio: ["ignore", process.stderr, process.stderr] });
}
