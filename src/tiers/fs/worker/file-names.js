/** `<hex of the hash>_g<group, decimal>.bin` */
const BLOCK_NAME = /^[0-9a-f]+_g\d+\.bin$/;
/** `<process>-<tier>-<thread>-<count>.tmp`; all but the second are decimal numbers. */
const TEMP_NAME = /^\d+-[0-9a-f]+-\d+-\d+\.tmp$/;

/**
 * Name of a block's file. Neither part is checked here.
 *
 * @param {string} hashHex lower-case hex
 * @param {number} group
 * @returns {string}
 */
export function blockFileName(hashHex, group) {
  return `${hashHex}_g${group}.bin`;
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

/**
 * Whether a file of this name, in a sub-folder of blocks, was made by this tier: a block, or what a killed writer left.
 *
 * @param {string} name
 * @returns {boolean}
 */
export function isOurFileName(name) {
  return BLOCK_NAME.test(name) || TEMP_NAME.test(name);
}
