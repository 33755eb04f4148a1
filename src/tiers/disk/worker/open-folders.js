import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { errorCode } from "./error-code.js";

/**
 * The file-system calls that this needs; `node:fs` has them all.
 *
 * @typedef {Pick<typeof import("node:fs"), "openSync" | "writeSync" | "fsyncSync" | "closeSync" | "readFileSync" |
 *   "mkdirSync" | "statSync" | "realpathSync" | "renameSync" | "unlinkSync">} FolderIo
 */

/** `code` of an error whose message says all: what is there is not what should be. */
export const NOT_OURS = "NOT_OURS";

/**
 * Makes the folders and the `config.json` of `namespace` below `rootDir`, as far as they are missing, which also shows
 * that they can be written.
 *
 * @param {FolderIo} io
 * @param {string} rootDir
 * @param {import("../disk-namespace.js").DiskNamespace} namespace
 * @returns {string} the real path of the folder of blocks
 */
export function openFolders(io, rootDir, namespace) {
  const root = resolve(rootDir);
  makeFolder(io, root);
  // The root may well be a link to a disk. Below it no link is followed, so that nothing leads out again.
  const realRoot = io.realpathSync.native(root);
  openConfig(io, openFolder(io, realRoot, namespace.name), namespace.config);
  return openFolder(io, realRoot, namespace.blocks);
}

/** @param {FolderIo} io @param {string} root @param {string} name */
function openFolder(io, root, name) {
  const path = join(root, name);
  makeFolder(io, path);
  const real = io.realpathSync.native(path);
  if (real === path) return path;
  throw notOurs(
    `The folder ${path} leads to ${real}. Links below root_dir are not followed: put a folder in its place.`,
  );
}

/**
 * Level by level: the recursive `mkdir` of Node tries for ever where nothing can be made, as below `/proc`.
 *
 * @param {FolderIo} io @param {string} path
 */
function makeFolder(io, path) {
  if (isFolder(io, path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(io, parent);
  try {
    io.mkdirSync(path);
  } catch (error) {
    // Another process may have been faster.
    if (errorCode(error) !== "EEXIST" || !isFolder(io, path)) throw error;
  }
}

/** @param {FolderIo} io @param {string} path */
function isFolder(io, path) {
  try {
    return io.statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** @param {FolderIo} io @param {string} folder @param {string} content */
function openConfig(io, folder, content) {
  const path = join(folder, "config.json");
  const found = readOrNull(io, path);
  if (found === null) publish(io, path, content);
  else if (found !== content) {
    throw notOurs(
      `${path} does not describe the model and the block size of this tier, as its folder's name says it should. ` +
        "It was changed or damaged: remove the folder and the one of its blocks beside it, or choose another root_dir.",
    );
  }
}

/** @param {FolderIo} io @param {string} path */
function readOrNull(io, path) {
  try {
    return io.readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/**
 * Whole or not at all; two processes that do this at once publish the same content.
 *
 * @param {FolderIo} io @param {string} path @param {string} content
 */
function publish(io, path, content) {
  const temp = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  const fd = io.openSync(temp, "wx", 0o644);
  try {
    try {
      const bytes = Buffer.from(content);
      for (let done = 0; done < bytes.length;) done += io.writeSync(fd, bytes, done, bytes.length - done);
      // Flushed, because an empty file after a crash of the machine would be taken for damage.
      io.fsyncSync(fd);
    } finally {
      io.closeSync(fd);
    }
    io.renameSync(temp, path);
  } catch (error) {
    try {
      io.unlinkSync(temp);
    } catch {
      // The first fault is the one to report, and what is left is removed when it is old.
    }
    throw error;
  }
}

/** @param {string} message */
function notOurs(message) {
  return Object.assign(new Error(message), { code: NOT_OURS });
}
