import { randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { KvTierError } from "../../errors/kv-tier-error.js";
import type { DiskNamespace } from "./disk-namespace.js";
import { errorCode } from "./worker/error-code.js";

const HINTS: Readonly<Record<string, string>> = {
  EACCES: "This process may not write there: change the owner or the mode of the folder.",
  EPERM: "This process may not write there: change the owner or the mode of the folder.",
  EROFS: "The file system is read-only: mount it for writing, or choose another folder.",
  ENOENT: "No folder can be made there: choose another one.",
  ENOTDIR: "A part of the path is a file: choose another folder.",
  EEXIST: "There is a file of that name: choose another folder.",
  ENOSPC: "The disk is full: make room, or choose another folder.",
  EDQUOT: "The quota is used up: make room, or choose another folder.",
};

/**
 * Makes the folders and the `config.json` of `namespace` below `rootDir`, as far as they are missing, which also shows
 * that they can be written.
 *
 * @returns the real path of the folder of blocks
 * @throws KvTierError `TIER_INIT_FAILED` when that cannot be done, or what is there does not belong to `namespace`.
 */
export async function openNamespace(rootDir: string, namespace: DiskNamespace): Promise<string> {
  try {
    const root = resolve(rootDir);
    await makeFolder(root);
    // The root may well be a link to a disk. Below it no link is followed, so that nothing leads out again.
    const realRoot = await realpath(root);
    await openConfig(await openFolder(realRoot, namespace.name), namespace.config);
    return await openFolder(realRoot, namespace.blocks);
  } catch (cause) {
    throw KvTierError.is(cause) ? cause : unusable(rootDir, cause);
  }
}

async function openFolder(root: string, name: string): Promise<string> {
  const path = join(root, name);
  await makeFolder(path);
  const real = await realpath(path);
  if (real === path) return path;
  throw new KvTierError(
    "TIER_INIT_FAILED",
    `The folder ${path} leads to ${real}. Links below root_dir are not followed: put a folder in its place.`,
  );
}

/** Level by level: the recursive `mkdir` of Node tries for ever where nothing can be made, as below `/proc`. */
async function makeFolder(path: string): Promise<void> {
  if (await isFolder(path)) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  try {
    await mkdir(path);
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== "EEXIST" || !(await isFolder(path))) throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

async function openConfig(folder: string, content: string): Promise<void> {
  const path = join(folder, "config.json");
  const found = await readOrNull(path);
  if (found === null) return publish(path, content);
  if (found === content) return;
  throw new KvTierError(
    "TIER_INIT_FAILED",
    `${path} does not describe the model and the block size of this tier, as its folder's name says it should. ` +
      "It was changed or damaged: remove the folder and the one of its blocks beside it, or choose another root_dir.",
  );
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** Whole or not at all; two processes that do this at once publish the same content. */
async function publish(path: string, content: string): Promise<void> {
  const temp = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    // Flushed, because an empty file after a crash of the machine would be taken for damage.
    await writeFile(temp, content, { flag: "wx", mode: 0o644, flush: true });
    await rename(temp, path);
  } catch (error) {
    await rm(temp, { force: true });
    throw error;
  }
}

function unusable(rootDir: string, cause: unknown): KvTierError {
  const hint = HINTS[String(errorCode(cause))] ?? "Choose another folder.";
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new KvTierError("TIER_INIT_FAILED", `root_dir ${JSON.stringify(rootDir)} cannot be used: ${reason}. ${hint}`, {
    cause,
  });
}
