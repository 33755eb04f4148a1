/** `<hex of the hash>_g<group, decimal>.bin` */
const BLOCK_NAME = /^((?:[0-9a-f]{2})+)_g(0|[1-9]\d{0,9})\.bin$/;
/** Groups have 32 bits. A file of a larger one is not ours, and stays. */
const MAX_GROUP = 0xffffffff;
/** `<process>-<tier>-<thread>-<count>.tmp`; all but the second are decimal numbers. */
const TEMP_NAME = /^\d+-[0-9a-f]+-\d+-\d+\.tmp$/;
/** Folder of one namespace's blocks: `<model>_<digest>_r<rank>`. */
const BLOCKS_FOLDER = /_[0-9a-f]{12}_r\d+$/;
const SUB_FOLDER = /^[0-9a-f]{2}$/;

/** Every sub-folder that a folder of blocks may have. */
export const SUB_FOLDERS = Object.freeze(Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, "0")));

/**
 * Name of a block's file. Neither part is checked here.
 *
 * @param {string} hashHex lower-case hex
 * @param {number | string} group
 * @returns {string}
 */
export function blockFileName(hashHex, group) {
  return `${hashHex}_g${group}.bin`;
}

/**
 * The parts of a block's file name; `null` when it is none.
 *
 * @param {string} name
 * @returns {{ hashHex: string, group: string } | null}
 */
export function parseBlockFileName(name) {
  const [, hashHex, group] = BLOCK_NAME.exec(name) ?? [];
  if (hashHex === undefined || group === undefined || Number(group) > MAX_GROUP) return null;
  return { hashHex, group };
}

/**
 * Name under which a writer prepares its `count`-th block.
 *
 * @param {string} writerId
 * @param {number} count
 * @returns {string}
 */
export function tempFileName(writerId, count) {
  return `${writerId}-${count}.tmp`;
}

/** Whether a writer's file of this name holds a block that is not published yet. @param {string} name */
export function isTempFileName(name) {
  return TEMP_NAME.test(name);
}

/**
 * Whether a file of this name, in a sub-folder of blocks, was made by this tier: a block, or what a killed writer left.
 *
 * @param {string} name
 * @returns {boolean}
 */
export function isOurFileName(name) {
  return parseBlockFileName(name) !== null || isTempFileName(name);
}

/** Whether a folder of this name, below a root, may hold the blocks of a namespace. @param {string} name */
export function isBlocksFolderName(name) {
  return BLOCKS_FOLDER.test(name);
}

/** Whether a folder of this name, below a folder of blocks, is a sub-folder of them. @param {string} name */
export function isSubFolderName(name) {
  return SUB_FOLDER.test(name);
}
