import {
  isOffloadKey,
  makeOffloadKey,
  offloadKeyGroup,
  offloadKeyHashHex,
  type OffloadKey,
} from "../../contracts/offload-key.js";
import { blockFileName, parseBlockFileName } from "./worker/file-names.js";

/** The longest file name, in bytes, that all common file systems take. */
const MAX_NAME_BYTES = 255;
/**
 * Hex digits of the hash in a sub-folder's name: 256 sub-folders. Creating one costs as much as a few small stores, so
 * there are few; and a million blocks still leave each with no more than some 4,000 files.
 */
const FOLDER_DIGITS = 2;

/**
 * The file of the block `key`, as `<sub-folder>/<name>` below the folder of all blocks: the same in every process.
 * `null` when `key` is none that `makeOffloadKey` made, or too long for a file name.
 */
export function blockFileOf(key: OffloadKey): string | null {
  if (!isOffloadKey(key)) return null;
  const hash = offloadKeyHashHex(key);
  const name = blockFileName(hash, offloadKeyGroup(key));
  return name.length > MAX_NAME_BYTES ? null : `${hash.slice(0, FOLDER_DIGITS)}/${name}`;
}

/** The key of a block's file, as {@link blockFileOf} names it. `null` for any other. */
export function keyOfBlockFile(file: string): OffloadKey | null {
  const parts = parseBlockFileName(file.slice(FOLDER_DIGITS + 1));
  return parts === null ? null : makeOffloadKey(parts.hashHex, Number(parts.group));
}
