import { Buffer } from "node:buffer";
import { basename } from "node:path";
import { alignedBuffer } from "../../disk/worker/aligned-buffer.js";
import { errorCode } from "../../disk/worker/error-code.js";
import { blockFault, CHECKSUM, TORN } from "../../shared/worker/block-fault.js";
import { BlockLayout, PAGE_BYTES } from "./block-layout.js";
import { DirectIo } from "./direct-io.js";
import { tempFileName } from "./file-names.js";
import { ignoring } from "./ignoring.js";
import { nameOf, SubFolders, subFolderOf } from "./sub-folders.js";

/**
 * The file-system calls that a block's life needs; `node:fs` has them all.
 *
 * @typedef {import("./sub-folders.js").FolderIo & Pick<typeof import("node:fs"), "openSync" | "closeSync" | "fstatSync" |
 *   "lstatSync" | "readSync" | "readvSync" | "writeSync" | "writevSync" | "renameSync" | "unlinkSync" |
 *   "constants">} BlockIo
 */

/**
 * @typedef {object} BlockFilesOptions
 * @property {BlockIo} io
 * @property {string} folder absolute path of the folder of all blocks; its name is that of their namespace
 * @property {number} blockBytes
 * @property {string} writerId unlike that of any other writer on this folder, on this machine and on others
 * @property {boolean | undefined} [checksum] whether blocks are stored with a checksum, and verified by it
 * @property {SharedArrayBuffer | null | undefined} [direct] see `DirectIo`
 */

const MODE = 0o644;

/**
 * Blocks as files, one each, below one folder: `<sub-folder>/<name>`. Plain synchronous calls, for a thread that has
 * nothing else to do. A file is named as a block only after all of its bytes were written, so what is there is whole;
 * what is not (a crash of the machine, a full disk of old) shows in its size and counts as not there.
 */
export class BlockFiles {
  #io;
  #folders;
  #layout;
  #direct;
  #namespace;
  #blockBytes;
  #writerId;
  #readFlags;
  #writeFlags;
  #temps = 0;
  /** Room for what follows a block in its file, and for a byte that none has. */
  #tail = Buffer.alloc(PAGE_BYTES + 1);
  /** The same for direct calls, which fill whole pages at the start of one. */
  #directTail = alignedBuffer(2 * PAGE_BYTES);

  /** @param {BlockFilesOptions} options */
  constructor({ io, folder, blockBytes, writerId, checksum = false, direct = null }) {
    this.#io = io;
    this.#folders = new SubFolders(io, folder);
    this.#layout = new BlockLayout(blockBytes, checksum);
    this.#direct = new DirectIo(io.constants, direct);
    this.#namespace = basename(folder);
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
    return this.#folders.has(subFolderOf(file)) && this.#isWhole(file);
  }

  /**
   * Publishes `block` as `file`, unless it is there already. A failure leaves nothing behind.
   *
   * @param {string} file
   * @param {Uint8Array} block
   * @returns {number} bytes of the new file; 0 when it was there
   */
  store(file, block) {
    const subFolder = subFolderOf(file);
    this.#folders.open(subFolder);
    if (this.#isWhole(file)) return 0;
    try {
      return this.#publish(file, block);
    } catch (error) {
      if (errorCode(error) !== "ENOENT") throw error;
      // Somebody removed the sub-folder since it was verified. Once more, from the start.
      this.#folders.forget(subFolder);
      this.#folders.open(subFolder);
      return this.#publish(file, block);
    }
  }

  /**
   * Fills `block` from `file`. After a failure the content of `block` is undefined. A file that does not hold a block, or
   * not the one that was stored, is removed; the error's `code` says which (see `block-fault.js`).
   *
   * @param {string} file
   * @param {Uint8Array} block
   * @returns {number} bytes of the block
   */
  load(file, block) {
    if (!this.#folders.has(subFolderOf(file))) throw blockFault("ENOENT", `There is no block file ${file}.`);
    const direct = this.#direct.flagFor(block);
    if (direct !== 0) {
      try {
        if (this.#read(file, block, direct)) return block.byteLength;
      } catch (error) {
        if (!this.#direct.isRefusal(errorCode(error))) throw error;
        this.#read(file, block, 0);
        this.#direct.giveUp();
        return block.byteLength;
      }
    }
    this.#read(file, block, 0);
    return block.byteLength;
  }

  /** @param {string} file @param {Uint8Array} block */
  #publish(file, block) {
    const direct = this.#direct.flagFor(block);
    if (direct === 0) return this.#write(file, block, 0);
    try {
      return this.#write(file, block, direct);
    } catch (error) {
      if (!this.#direct.isRefusal(errorCode(error))) throw error;
      const bytes = this.#write(file, block, 0);
      this.#direct.giveUp();
      return bytes;
    }
  }

  /** @param {string} file @param {Uint8Array} block @param {number} direct @returns {number} bytes of the file */
  #write(file, block, direct) {
    const temp = this.#folders.path(`${subFolderOf(file)}/${tempFileName(this.#writerId, ++this.#temps)}`);
    const trailer = this.#layout.trailerOf(this.#fullNameOf(file), block, direct !== 0);
    const fd = this.#io.openSync(temp, this.#writeFlags | direct, MODE);
    try {
      this.#writeAndClose(fd, trailer === null ? [block] : [block, trailer]);
      this.#io.renameSync(temp, this.#folders.path(file));
    } catch (error) {
      // The first fault is the one to report. What cannot be removed now is no block by its name.
      ignoring(undefined, () => this.#io.unlinkSync(temp));
      throw error;
    }
    return block.byteLength + (trailer?.byteLength ?? 0);
  }

  /** @param {number} fd @param {Uint8Array[]} parts */
  #writeAndClose(fd, parts) {
    try {
      let written = this.#io.writevSync(fd, parts);
      for (const part of parts) {
        for (; written < part.byteLength;) {
          const more = this.#io.writeSync(fd, part, written, part.byteLength - written);
          if (more <= 0) throw new Error(`The write stopped after ${written} of ${part.byteLength} bytes.`);
          written += more;
        }
        written -= part.byteLength;
      }
    } catch (error) {
      ignoring(undefined, () => this.#io.closeSync(fd));
      throw error;
    }
    // Some file systems report a failed write only here, so a failure to close is a failure to store.
    this.#io.closeSync(fd);
  }

  /**
   * @param {string} file @param {Uint8Array} block @param {number} direct
   * @returns {boolean} `false` when a direct call read less than a block, which only the page cache can make out
   */
  #read(file, block, direct) {
    const path = this.#folders.path(file);
    const tail = direct === 0 ? this.#tail : this.#directTail;
    const fd = this.#io.openSync(path, this.#readFlags | direct);
    let found, fault;
    try {
      const size = this.#fill(fd, block, tail, direct !== 0);
      const isWhole = this.#layout.isWhole(size);
      if (!isWhole && direct !== 0) return false;
      if (isWhole && this.#layout.isIntact(this.#fullNameOf(file), block, tail, size)) return true;
      fault = isWhole
        ? blockFault(CHECKSUM, `${file} does not match its checksum; it was removed.`)
        : blockFault(TORN, `${file} does not hold ${this.#blockBytes} bytes; it was removed.`);
      found = this.#io.fstatSync(fd);
      if (!found.isFile()) throw new Error(`${file} is not a regular file.`);
    } finally {
      this.#io.closeSync(fd);
    }
    this.#removeVery(path, found);
    throw fault;
  }

  /**
   * @param {number} fd @param {Uint8Array} block @param {Buffer} tail @param {boolean} isDirect
   * @returns {number} bytes that the file has, as far as it was read: one that is too long is seen to be
   */
  #fill(fd, block, tail, isDirect) {
    const { byteLength } = block;
    let size = this.#io.readvSync(fd, [block, tail], 0);
    if (isDirect) return size;
    // At the end of a trailer, most often at once. Without one there is nothing but another call to tell the end.
    while (size === byteLength || !this.#layout.isWhole(size)) {
      const [into, at] = size < byteLength ? [block, size] : [tail, size - byteLength];
      const more = this.#io.readSync(fd, into, at, into.byteLength - at, size);
      if (more <= 0) break;
      size += more;
    }
    return size;
  }

  /**
   * Another process may have put a whole block in the place of the faulty one since: only the very file that was read goes.
   *
   * @param {string} path @param {import("node:fs").Stats} faulty
   */
  #removeVery(path, faulty) {
    ignoring(undefined, () => {
      const now = this.#io.lstatSync(path);
      if (now.ino === faulty.ino && now.dev === faulty.dev && now.size === faulty.size) this.#io.unlinkSync(path);
    });
  }

  /** What a checksum vouches for: a file from the folder of another model or rank is not this block. @param {string} file */
  #fullNameOf(file) {
    return `${this.#namespace}/${nameOf(file)}`;
  }

  /** @param {string} file in a sub-folder that was verified @returns {boolean} */
  #isWhole(file) {
    const found = this.#io.lstatSync(this.#folders.path(file), { throwIfNoEntry: false });
    return found !== undefined && found.isFile() && this.#layout.isWhole(found.size);
  }
}
