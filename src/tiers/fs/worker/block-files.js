import { resolve } from "node:path";
import { errorCode } from "../../disk/worker/error-code.js";
import { tempFileName } from "./file-names.js";

/**
 * The file-system calls that a block's life needs; `node:fs` has them all.
 *
 * @typedef {Pick<typeof import("node:fs"), "openSync" | "closeSync" | "fstatSync" | "lstatSync" | "readSync" |
 *   "writeSync" | "renameSync" | "unlinkSync" | "mkdirSync" | "readdirSync" | "realpathSync" | "constants">} BlockIo
 */

/**
 * @typedef {object} BlockFilesOptions
 * @property {BlockIo} io
 * @property {string} folder the real, absolute path of the folder of all blocks
 * @property {number} blockBytes
 * @property {string} writerId unlike that of any other writer on this folder, on this machine and on others
 */

const MODE = 0o644;
/** File names of a sub-folder and a file in it, always with one `/`. */
const SEPARATOR = "/";

/**
 * Blocks as files, one each, below one folder: `<sub-folder>/<name>`. Plain synchronous calls, for a thread that has
 * nothing else to do. A file is named as a block only after all of its bytes were written, so what is there is whole;
 * what is not (a crash of the machine, a full disk of old) shows in its size and counts as not there.
 */
export class BlockFiles {
  #io;
  #folder;
  #blockBytes;
  #writerId;
  #readFlags;
  #writeFlags;
  #temps = 0;
  /** Sub-folders that were seen to lie where their path says. @type {Set<string>} */
  #verified = new Set();

  /** @param {BlockFilesOptions} options */
  constructor({ io, folder, blockBytes, writerId }) {
    this.#io = io;
    this.#folder = folder;
    this.#blockBytes = blockBytes;
    this.#writerId = writerId;
    // A symbolic link in a block's place is not followed, and a pipe there does not block. Windows has neither flag.
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_WRONLY, O_CREAT, O_EXCL } = io.constants;
    this.#readFlags = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);
    this.#writeFlags = O_WRONLY | O_CREAT | O_EXCL;
  }

  /**
   * Whether `file` is there as a whole block.
   *
   * @param {string} file
   * @returns {boolean}
   */
  has(file) {
    return this.#isVerified(subFolderOf(file)) && this.#isWhole(file);
  }

  /**
   * Publishes `block` as `file`, unless it is there already. A failure leaves nothing behind.
   *
   * @param {string} file
   * @param {Uint8Array} block
   * @returns {number} bytes written
   */
  store(file, block) {
    const subFolder = subFolderOf(file);
    this.#openSubFolder(subFolder);
    if (this.#isWhole(file)) return 0;
    try {
      this.#publish(file, block);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      // Somebody removed the sub-folder since it was verified. Once more, from the start.
      this.#verified.delete(subFolder);
      this.#openSubFolder(subFolder);
      this.#publish(file, block);
    }
    return block.byteLength;
  }

  /**
   * Fills `block` from `file`. After a failure the content of `block` is undefined. A file of the wrong size is removed.
   *
   * @param {string} file
   * @param {Uint8Array} block
   * @returns {number} bytes read
   */
  load(file, block) {
    if (!this.#isVerified(subFolderOf(file))) throw new Error(`There is no block file ${file}.`);
    const path = this.#path(file);
    const fd = this.#io.openSync(path, this.#readFlags);
    let torn;
    try {
      const found = this.#io.fstatSync(fd);
      if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
      if (found.size === this.#blockBytes && this.#fill(fd, block)) return block.byteLength;
      torn = found;
    } finally {
      this.#io.closeSync(fd);
    }
    this.#removeTorn(path, torn);
    throw new Error(`${file} does not hold ${this.#blockBytes} bytes; it was removed.`);
  }

  /**
   * Removes `file`, if it is there.
   *
   * @param {string} file
   * @returns {number} 0, as no bytes are moved
   */
  remove(file) {
    if (this.#isVerified(subFolderOf(file))) ignoring("ENOENT", () => this.#io.unlinkSync(this.#path(file)));
    return 0;
  }

  /**
   * Removes from a sub-folder the files whose names are ours. One that another process removed meanwhile is fine.
   *
   * @param {string} subFolder
   * @param {(name: string) => boolean} isOurs
   * @returns {number} files that were ours
   */
  clear(subFolder, isOurs) {
    if (!this.#isVerified(subFolder)) return 0;
    const names = this.#io.readdirSync(this.#path(subFolder)).filter(isOurs);
    for (const name of names) {
      ignoring("ENOENT", () => this.#io.unlinkSync(this.#path(subFolder + SEPARATOR + name)));
    }
    return names.length;
  }

  /** @param {string} file @param {Uint8Array} block */
  #publish(file, block) {
    const temp = this.#path(subFolderOf(file) + SEPARATOR + tempFileName(this.#writerId, ++this.#temps));
    const fd = this.#io.openSync(temp, this.#writeFlags, MODE);
    try {
      this.#writeAndClose(fd, block);
      this.#io.renameSync(temp, this.#path(file));
    } catch (error) {
      // The first fault is the one to report. What cannot be removed now is no block by its name.
      ignoring(undefined, () => this.#io.unlinkSync(temp));
      throw error;
    }
  }

  /** @param {number} fd @param {Uint8Array} block */
  #writeAndClose(fd, block) {
    try {
      for (let done = 0; done < block.byteLength;) {
        const written = this.#io.writeSync(fd, block, done, block.byteLength - done);
        if (written <= 0) throw new Error(`The write stopped after ${done} of ${block.byteLength} bytes.`);
        done += written;
      }
    } catch (error) {
      ignoring(undefined, () => this.#io.closeSync(fd));
      throw error;
    }
    // Some file systems report a failed write only here, so a failure to close is a failure to store.
    this.#io.closeSync(fd);
  }

  /** @param {number} fd @param {Uint8Array} block @returns {boolean} whether the file had bytes for the whole block */
  #fill(fd, block) {
    for (let done = 0; done < block.byteLength;) {
      const read = this.#io.readSync(fd, block, done, block.byteLength - done, done);
      if (read <= 0) return false;
      done += read;
    }
    return true;
  }

  /**
   * Another process may have put a whole block in the torn one's place since: only the very file that was read goes.
   *
   * @param {string} path @param {import("node:fs").Stats} torn
   */
  #removeTorn(path, torn) {
    ignoring(undefined, () => {
      const now = this.#io.lstatSync(path);
      if (now.ino === torn.ino && now.dev === torn.dev && now.size === torn.size) this.#io.unlinkSync(path);
    });
  }

  /** @param {string} file in a sub-folder that was verified @returns {boolean} */
  #isWhole(file) {
    const found = this.#io.lstatSync(this.#path(file), { throwIfNoEntry: false });
    return found !== undefined && found.isFile() && found.size === this.#blockBytes;
  }

  /** @param {string} subFolder */
  #openSubFolder(subFolder) {
    if (this.#isVerified(subFolder)) return;
    this.#io.mkdirSync(this.#path(subFolder), { recursive: true });
    if (!this.#isVerified(subFolder)) throw new Error(`The folder ${subFolder} was removed while it was opened.`);
  }

  /**
   * Whether a sub-folder is there. Looked at once: a folder that leads elsewhere, by a symbolic link, is refused.
   *
   * @param {string} subFolder
   * @returns {boolean}
   */
  #isVerified(subFolder) {
    if (this.#verified.has(subFolder)) return true;
    const path = this.#path(subFolder);
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

  /** @param {string} file */
  #path(file) {
    // Once per call and block, so no join(): the folder is a resolved path, and "/" separates on Windows too.
    return `${this.#folder}/${file}`;
  }
}

/** @param {string} file */
function subFolderOf(file) {
  return file.slice(0, file.indexOf(SEPARATOR));
}

/**
 * Runs `fn`, and swallows its error if it has `code`, or any error if `code` is `undefined`.
 *
 * @param {string | undefined} code @param {() => void} fn
 */
function ignoring(code, fn) {
  try {
    fn();
  } catch (error) {
    if (code !== undefined && errorCode(error) !== code) throw error;
  }
}
