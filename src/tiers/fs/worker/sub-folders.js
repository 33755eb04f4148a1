import { basename, dirname, resolve } from "node:path";
import { errorCode } from "../../disk/worker/error-code.js";

/**
 * The file-system calls that this needs; `node:fs` has them.
 *
 * @typedef {Pick<typeof import("node:fs"), "mkdirSync" | "realpathSync" | "statSync">} FolderIo
 */

/** File names of a sub-folder and a file in it, always with one `/`. */
const SEPARATOR = "/";

/** The sub-folders of blocks below one folder: where they are, whether they may be followed, and making them. */
export class SubFolders {
  #io;
  #folder;
  /** Real path of the folder, and the device that its parent is on; `null` until it was needed. @type {{ path: string, dev: number } | null} */
  #base = null;
  /** Sub-folders that were seen to lie where their path says. @type {Set<string>} */
  #verified = new Set();

  /** @param {FolderIo} io @param {string} folder absolute; its parent may be a link or lie below one, itself not */
  constructor(io, folder) {
    this.#io = io;
    this.#folder = folder;
  }

  /** Path of a file or sub-folder. Once per call and block, so no join(): "/" separates on Windows too. @param {string} file */
  path(file) {
    return `${this.#resolved().path}/${file}`;
  }

  /**
   * Whether a sub-folder is there. Looked at once: a folder that leads elsewhere, by a symbolic link, is refused.
   *
   * @param {string} subFolder
   * @returns {boolean}
   */
  has(subFolder) {
    if (this.#verified.has(subFolder)) return true;
    const path = this.path(subFolder);
    let real;
    try {
      real = this.#io.realpathSync.native(path);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    }
    if (real !== resolve(path)) throw new Error(`The folder ${path} leads to ${real}, and is not followed.`);
    this.#verified.add(subFolder);
    return true;
  }

  /** Makes a sub-folder, if it is not there. @param {string} subFolder */
  open(subFolder) {
    if (this.has(subFolder)) return;
    try {
      this.#make(this.path(subFolder));
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      this.#openBase(error);
      this.#make(this.path(subFolder));
    }
    if (!this.has(subFolder)) throw new Error(`The folder ${subFolder} was removed while it was opened.`);
  }

  /** Somebody removed something: a sub-folder is to be looked at again. @param {string} subFolder */
  forget(subFolder) {
    this.#verified.delete(subFolder);
  }

  /** Level by level: the recursive `mkdir` of Node tries for ever where nothing can be made. @param {string} path */
  #make(path) {
    try {
      this.#io.mkdirSync(path);
    } catch (error) {
      // Another thread or process may have been faster.
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }

  /**
   * The folder itself is gone, and is made again; but not on another device, which is what shows where a disk was
   * mounted that is gone.
   *
   * @param {unknown} reason
   */
  #openBase(reason) {
    const { path, dev } = this.#resolved();
    if (this.#io.statSync(dirname(path)).dev !== dev) throw reason;
    this.#make(path);
    if (this.#io.realpathSync.native(path) !== resolve(path)) throw reason;
  }

  #resolved() {
    if (this.#base === null) {
      const parent = this.#io.realpathSync.native(dirname(this.#folder));
      this.#base = { path: `${parent}/${basename(this.#folder)}`, dev: this.#io.statSync(parent).dev };
    }
    return this.#base;
  }
}

/** @param {string} file */
export function subFolderOf(file) {
  return file.slice(0, file.indexOf(SEPARATOR));
}

/** @param {string} file */
export function nameOf(file) {
  return file.slice(file.indexOf(SEPARATOR) + 1);
}
