import { createRequire } from "node:module";

/** Native code, which only those load that have a block. @type {Pick<typeof import("@node-rs/xxhash"), "xxh64"> | undefined} */
let xxhash;

/**
 * Checksum of a block that is stored under `name`: xxHash64 of the bytes, seeded with that of the name, so that a block
 * that lies under another's name does not pass. The length is part of xxHash itself.
 *
 * @param {string} name what names the block where it is stored
 * @param {Uint8Array} block
 * @returns {bigint} 64 bits, unsigned
 */
export function blockChecksum(name, block) {
  xxhash ??= /** @type {typeof import("@node-rs/xxhash")} */ (createRequire(import.meta.url)("@node-rs/xxhash"));
  return xxhash.xxh64(block, xxhash.xxh64(name));
}
