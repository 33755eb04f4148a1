import { failureOf } from "../../disk/worker/attempt.js";
import { errorCode } from "../../disk/worker/error-code.js";
import { isOurFileName } from "./file-names.js";
import { SubFolders, subFolderOf } from "./sub-folders.js";

/**
 * @typedef {object} RemovalParts
 * @property {typeof import("node:fs")} io
 * @property {import("./file-ids.js").FileIds} ids
 * @property {import("./counted-files.js").CountedFiles} files
 * @property {() => string} root real path of it
 * @property {() => void} assertThere throws when the root is gone, and everything in it for the time being
 */

/** @typedef {(error: unknown) => void} Fail */

/** The ways in which files go: each ends in the same books. */
export class Removals {
  #io;
  #ids;
  #files;
  #root;
  #assertThere;
  /** Of the folder with each number. @type {SubFolders[]} */
  #folders = [];
  /** @type {string[]} */
  #chosen = [];
  /**
   * Files that would not be removed. When there is nothing else left, one of them is tried again; after the next scan all are.
   *
   * @type {Set<string>}
   */
  #stuck = new Set();

  /** @param {RemovalParts} parts */
  constructor({ io, ids, files, root, assertThere }) {
    this.#io = io;
    this.#ids = ids;
    this.#files = files;
    this.#root = root;
    this.#assertThere = assertThere;
  }

  /** @param {import("../keeper-tasks.js").ChooseTask} task @returns {import("../keeper-tasks.js").ChooseReply} */
  choose({ bytes, busy, limit }) {
    const excluded = new Set(busy.map((file) => this.#ids.ownIdOf(file)));
    this.#chosen = [];
    let left = bytes;
    for (const [id, size] of this.#files.entries()) {
      if (left <= 0 || this.#chosen.length === limit) break;
      if (excluded.has(id) || this.#stuck.has(id)) continue;
      this.#chosen.push(id);
      left -= size;
    }
    const isRetry = this.#chosen.length === 0 && bytes > 0;
    if (isRetry) this.#chosen = [...this.#stuck].filter((id) => !excluded.has(id)).slice(0, 1);
    return { count: this.#chosen.length, files: this.#ownFiles(this.#chosen), isRetry };
  }

  /** Removes what was chosen. @param {readonly string[]} spared @returns {import("../keeper-tasks.js").EvictReply} */
  evict(spared) {
    const excluded = new Set(spared.map((file) => this.#ids.ownIdOf(file)));
    /** @type {string[]} */
    const gone = [];
    let evictions = 0;
    const before = this.#files.status.used;
    const reply = this.#collect((fail) => {
      for (const id of this.#chosen) {
        if (excluded.has(id)) continue;
        const outcome = this.#remove(id, fail);
        if (outcome === "removed") evictions++;
        if (outcome === "failed") this.#stuck.add(id);
        else gone.push(id);
      }
      // What kept one from being removed is over, so it may be over for all.
      if (gone.some((id) => this.#stuck.has(id))) this.#stuck.clear();
    });
    this.#chosen = [];
    return { ...reply, files: this.#ownFiles(gone), evictions, bytes: before - reply.status.used };
  }

  /** @param {readonly string[]} files of the tier's own namespace */
  remove(files) {
    return this.#collect((fail) => {
      for (const file of files) {
        const id = this.#ids.ownIdOf(file);
        if (id !== null) this.#remove(id, fail);
      }
    });
  }

  /** Removes what is ours, temporary files too. @param {readonly string[]} subFolders of the tier's own namespace */
  clear(subFolders) {
    return this.#collect((fail) => {
      for (const subFolder of subFolders) {
        try {
          this.#clear(subFolder, fail);
        } catch (error) {
          if (errorCode(error) !== "ENOENT") fail(error);
        }
      }
    });
  }

  /**
   * Removes temporary files of others, before their time.
   *
   * @param {() => number} before seconds since the epoch: only those that were last written before
   */
  sweep(before) {
    return this.#collect((fail) => {
      const temps = [...this.#files.temps];
      if (temps.length === 0) return;
      const beforeS = before();
      for (const [path] of temps) {
        const full = `${this.#root()}/${path}`;
        try {
          const found = this.#io.lstatSync(full, { throwIfNoEntry: false });
          if (found !== undefined && found.mtimeMs / 1000 >= beforeS) continue;
          if (this.#unlink(full, fail) === "failed") continue;
          this.#assertThere();
          this.#files.deleteTemp(path);
        } catch (error) {
          fail(error);
        }
      }
    });
  }

  scanEnded() {
    this.#stuck.clear();
  }

  /** @param {string} subFolder @param {Fail} fail */
  #clear(subFolder, fail) {
    const folder = this.#folder(0);
    if (!folder.has(subFolder)) return;
    for (const name of this.#io.readdirSync(folder.path(subFolder)).filter(isOurFileName)) {
      const id = this.#ids.idOf(0, subFolder, name);
      if (id !== null) this.#remove(id, fail);
      else this.#unlink(folder.path(`${subFolder}/${name}`), fail);
    }
  }

  /** @param {(fail: Fail) => void} work @returns {import("../keeper-tasks.js").RemovalReply} */
  #collect(work) {
    /** @type {import("../../disk/disk-io.js").IoFailure | null} */
    let fault = null;
    work((error) => (fault ??= failureOf(error)));
    return { fault, status: this.#files.status };
  }

  /** The one way in which a block's file goes. @param {string} id @param {Fail} fail */
  #remove(id, fail) {
    const file = this.#ids.fileOf(id);
    const folder = this.#folder(this.#ids.folderIdOf(id));
    /** @type {"removed" | "gone" | "failed"} */
    let outcome = "failed";
    try {
      outcome = folder.has(subFolderOf(file)) ? this.#unlink(folder.path(file), fail) : "gone";
      // A disk that is not mounted has nothing on it, and all of it again when it is.
      if (outcome === "gone") this.#assertThere();
    } catch (error) {
      outcome = "failed";
      fail(error);
    }
    if (outcome !== "failed") this.#files.delete(id);
    return outcome;
  }

  /** @param {string} path @param {Fail} fail @returns {"removed" | "gone" | "failed"} */
  #unlink(path, fail) {
    try {
      this.#io.unlinkSync(path);
      return "removed";
    } catch (error) {
      if (errorCode(error) === "ENOENT") return "gone";
      fail(error);
      return "failed";
    }
  }

  /** @param {number} folderId */
  #folder(folderId) {
    return (this.#folders[folderId] ??= new SubFolders(this.#io, `${this.#root()}/${this.#ids.folderOf(folderId)}`));
  }

  /** @param {readonly string[]} ids */
  #ownFiles(ids) {
    return ids.filter((id) => this.#ids.folderIdOf(id) === 0).map((id) => this.#ids.fileOf(id));
  }
}
