import { xxh64 } from "@node-rs/xxhash";

/**
 * Checksum of a block that is stored under `name`: xxHash64 of the bytes, seeded with that of the name, so that a block
 * that lies under another's name does not pass. The length is part of xxHash itself.
 *
 * @param {string} name what names the block where it is stored
 * @param {Uint8Array} block
 * @returns {bigint} 64 bits, unsigned
 */
export function blockChecksum(name, block) {
  return xxh64(block, xxh64(name));
}
