import { Buffer } from "node:buffer";
import { blockFileName, parseBlockFileName } from "./file-names.js";

/**
 * Names of block files below one root, packed: a million of them are to be kept at a time. An id is a string of the
 * number of the folder, the length of the group's digits, those digits unless they are `0`, and the bytes of the hash.
 */
export class FileIds {
  /** Folders of blocks, by name below the root. The first is the tier's own. @type {string[]} */
  #folders = [];

  /** @param {string} own folder of the tier's own blocks */
  constructor(own) {
    this.#folders.push(own);
  }

  /** Number of a folder of blocks. @param {string} folder */
  folderId(folder) {
    const known = this.#folders.indexOf(folder);
    return known !== -1 ? known : this.#folders.push(folder) - 1;
  }

  /**
   * Id of the file `<sub-folder>/<name>`; `null` when it is none of a block.
   *
   * @param {number} folderId @param {string} subFolder @param {string} name
   */
  idOf(folderId, subFolder, name) {
    const parts = parseBlockFileName(name);
    if (!parts?.hashHex.startsWith(subFolder)) return null;
    const { hashHex, group } = parts;
    const digits = group === "0" ? "" : group;
    return String.fromCharCode(folderId, digits.length) + digits + Buffer.from(hashHex, "hex").toString("latin1");
  }

  /** Id of a file of the tier's own. @param {string} file `<sub-folder>/<name>` */
  ownIdOf(file) {
    const slash = file.indexOf("/");
    return this.idOf(0, file.slice(0, slash), file.slice(slash + 1));
  }

  /** Number of the folder that a file is in: 0 = the tier's own. @param {string} id */
  folderIdOf(id) {
    return id.charCodeAt(0);
  }

  /** `<sub-folder>/<name>`. @param {string} id */
  fileOf(id) {
    const hashAt = 2 + id.charCodeAt(1);
    const hashHex = Buffer.from(id.slice(hashAt), "latin1").toString("hex");
    return `${hashHex.slice(0, 2)}/${blockFileName(hashHex, id.slice(2, hashAt) || "0")}`;
  }

  /** Name of a folder of blocks. @param {number} folderId */
  folderOf(folderId) {
    return this.#folders[folderId] ?? "";
  }

  /** Path below the root. @param {string} id */
  pathOf(id) {
    return `${this.#folders[id.charCodeAt(0)]}/${this.fileOf(id)}`;
  }
}
