import * as fs from "node:fs";
import { KvTierError } from "../../errors/kv-tier-error.js";
import type { DiskNamespace } from "./disk-namespace.js";
import { errorCode } from "./worker/error-code.js";
import { NOT_OURS, openFolders } from "./worker/open-folders.js";

const HINTS: Readonly<Record<string, string>> = {
  EACCES: "This process may not write there: change the owner or the mode of the folder.",
  EPERM: "This process may not write there: change the owner or the mode of the folder.",
  EROFS: "The file system is read-only: mount it for writing, or choose another folder.",
  ENOENT: "No folder can be made there: choose another one.",
  ENOTDIR: "A part of the path is a file: choose another folder.",
  EEXIST: "There is a file of that name: choose another folder.",
  ENOSPC: "The disk is full: make room, or choose another folder.",
  EMFILE: "This process has too many files open: raise its limit (ulimit -n).",
  ENFILE: "The system has too many files open: raise its limit.",
  EDQUOT: "The quota is used up: make room, or choose another folder.",
};

/**
 * Makes the folders and the `config.json` of `namespace` below `rootDir`, as far as they are missing, which also shows
 * that they can be written.
 *
 * @param open what does it; by default this very thread, which then waits for the disk
 * @returns the real path of the folder of blocks
 * @throws KvTierError `TIER_INIT_FAILED` when that cannot be done, or what is there does not belong to `namespace`.
 */
export async function openNamespace(
  rootDir: string,
  namespace: DiskNamespace,
  open: () => string | Promise<string> = () => openFolders(fs, rootDir, namespace),
): Promise<string> {
  try {
    return await open();
  } catch (cause) {
    throw failureOf(rootDir, cause);
  }
}

function failureOf(rootDir: string, cause: unknown): KvTierError {
  const code = String(errorCode(cause));
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (code === NOT_OURS) return new KvTierError("TIER_INIT_FAILED", reason, { cause });
  const hint = HINTS[code] ?? "Choose another folder.";
  return new KvTierError("TIER_INIT_FAILED", `root_dir ${JSON.stringify(rootDir)} cannot be used: ${reason}. ${hint}`, {
    cause,
  });
}
