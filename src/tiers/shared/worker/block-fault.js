/** `code` of the error of a load whose block is not there. */
export const ABSENT = "BLOCK_ABSENT";
/** `code` of the error of a load of what is stored, but not as a whole block. */
export const TORN = "TORN_BLOCK";
/** `code` of the error of a load whose bytes are not those that were stored. */
export const CHECKSUM = "CHECKSUM_MISMATCH";

/**
 * What is wrong with a block that was asked for.
 *
 * @param {string} code @param {string} message
 */
export function blockFault(code, message) {
  return Object.assign(new Error(message), { code });
}
