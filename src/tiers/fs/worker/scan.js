import { errorCode } from "../../disk/worker/error-code.js";
import { isBlocksFolderName, isSubFolderName, isTempFileName } from "./file-names.js";

/**
 * @typedef {object} ScanParts
 * @property {Pick<typeof import("node:fs"), "readdirSync" | "lstatSync" | "unlinkSync">} io
 * @property {string} root real path
 * @property {(name: string) => boolean} isOwnTemp whether a temporary file is one that this very tier writes now
 * @property {(name: string) => boolean} isLeftOver whether it is one that this tier wrote, and writes no more
 * @property {number} tempsBefore seconds since the epoch: temporary files that were last written before are removed
 * @property {((folder: string, subFolder: string, name: string) => string | null) | null} idOf of a block's file; `null` when
 *   blocks are not counted
 */

/** Description of a namespace that was being written. */
const CONFIG_TEMP = /^config\.json\.[0-9a-f]+\.tmp$/;
/** Where those are: `<model>_<digest>`. */
const CONFIG_FOLDER = /_[0-9a-f]{12}$/;
/** Names that are looked at in one go: some milliseconds. */
const STEP_NAMES = 512;

/**
 * A walk over all that is ours below a root, in every namespace, by steps. It counts blocks and removes temporary files
 * that nobody writes any more. Links are not followed, and what is not ours is not touched.
 */
export class Scan {
  #io;
  #parts;
  #walk;
  /** Of the files found. @type {string[]} */
  ids = [];
  /** @type {number[]} */
  sizes = [];
  /** @type {number[]} */
  mtimes = [];
  /** Temporary files of others, which may be blocks in a moment: bytes by path below the root. @type {Map<string, number>} */
  temps = new Map();
  /** Their sum. */
  tempBytes = 0;
  tempsRemoved = 0;
  /** Folders that could not be read: what is in them is not counted. @type {unknown} */
  fault = null;

  /** @param {ScanParts} parts */
  constructor(parts) {
    this.#io = parts.io;
    this.#parts = parts;
    this.#walk = this.#walkRoot();
  }

  /** Goes on for a while. @returns {boolean} whether it is done */
  step() {
    for (let names = 0; names < STEP_NAMES; names++) if (this.#walk.next().done) return true;
    return false;
  }

  /** Yields once for each file that was looked at. */
  *#walkRoot() {
    // A root that cannot be read is a failure of the whole; anything below it is one of its own.
    for (const entry of this.#io.readdirSync(this.#parts.root, { withFileTypes: true })) {
      const { name } = entry;
      if (entry.isDirectory() && isBlocksFolderName(name)) yield* this.#walkBlocks(name);
      else if (entry.isDirectory() && CONFIG_FOLDER.test(name)) yield* this.#sweepConfigs(name);
      else if (isLeaseTemp(name)) this.#sweep(name);
    }
  }

  /** @param {string} folder */
  *#walkBlocks(folder) {
    for (const entry of this.#entries(folder)) {
      if (entry.isDirectory() && isSubFolderName(entry.name)) yield* this.#walkSubFolder(folder, entry.name);
      else if (isTempFileName(entry.name)) this.#sweep(`${folder}/${entry.name}`);
    }
  }

  /** @param {string} folder @param {string} subFolder */
  *#walkSubFolder(folder, subFolder) {
    const { idOf, isOwnTemp, isLeftOver } = this.#parts;
    for (const name of this.#names(`${folder}/${subFolder}`)) {
      const path = `${folder}/${subFolder}/${name}`;
      const id = idOf === null ? null : idOf(folder, subFolder, name);
      if (id !== null) {
        const found = this.#stat(path);
        if (found !== null) this.#count(id, found);
        yield;
      } else if (isTempFileName(name) && (!isOwnTemp(name) || isLeftOver(name))) {
        this.#sweep(path, isLeftOver(name));
        yield;
      }
    }
  }

  /** @param {string} folder */
  *#sweepConfigs(folder) {
    for (const name of this.#names(folder)) {
      if (!CONFIG_TEMP.test(name)) continue;
      this.#sweep(`${folder}/${name}`);
      yield;
    }
  }

  /** @param {string} id @param {import("node:fs").Stats} found */
  #count(id, { size, mtimeMs }) {
    this.ids.push(id);
    this.sizes.push(size);
    this.mtimes.push(mtimeMs);
  }

  /** @param {string} path @param {boolean} [isLeftOver] whatever its age */
  #sweep(path, isLeftOver = false) {
    const found = this.#stat(path);
    if (found === null) return;
    const isOld = isLeftOver || found.mtimeMs / 1000 < this.#parts.tempsBefore;
    if (isOld && this.#remove(path)) this.tempsRemoved++;
    else {
      this.temps.set(path, found.size);
      this.tempBytes += found.size;
    }
  }

  /** @param {string} path @returns {boolean} whether it did */
  #remove(path) {
    return this.#attempt(() => (this.#io.unlinkSync(`${this.#parts.root}/${path}`), true)) === true;
  }

  /** @param {string} path @returns {import("node:fs").Stats | null} of a regular file */
  #stat(path) {
    const found = this.#attempt(() => this.#io.lstatSync(`${this.#parts.root}/${path}`));
    return found?.isFile() === true ? found : null;
  }

  /** @param {string} path */
  #entries(path) {
    return this.#attempt(() => this.#io.readdirSync(`${this.#parts.root}/${path}`, { withFileTypes: true })) ?? [];
  }

  /** @param {string} path */
  #names(path) {
    return this.#attempt(() => this.#io.readdirSync(`${this.#parts.root}/${path}`)) ?? [];
  }

  /**
   * What was removed meanwhile is fine; whatever else fails is noted.
   *
   * @template T
   * @param {() => T} fn
   * @returns {T | undefined}
   */
  #attempt(fn) {
    try {
      return fn();
    } catch (error) {
      if (errorCode(error) !== "ENOENT") this.fault ??= error;
      return undefined;
    }
  }
}

/** What a process left that was killed while it took the lease over. @param {string} name */
function isLeaseTemp(name) {
  return /^evict\.lock\.[0-9a-f]+\.tmp$/.test(name);
}
