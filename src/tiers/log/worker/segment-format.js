/**
 * What a segment file holds: a page with the header, a table with one entry per slot, padded to whole pages, and the
 * slots, each of one block. All numbers are words of 32 bits in the order of the machine; another order shows in the magic.
 *
 * An entry counts only if it carries the epoch of the header and its own checksum is right. So a new epoch in the header
 * empties a segment at once, and what a crash or a fault left half-written counts for nothing.
 */

export const PAGE_BYTES = 4096;
export const ENTRY_BYTES = 64;
export const ENTRY_WORDS = 16;

/** Words of an entry. */
export const ENTRY = Object.freeze({ key: 0, meta: 10, epoch: 11, sum: 12, reserved: 14, check: 15 });
/** Bytes of a key that an entry holds: hash and group. Of longer ones it holds a digest. */
export const MAX_KEY_BYTES = 40;
/** Bits of `meta`. */
export const META = Object.freeze({ keyBytes: 0xff, isDigest: 0x100, hasSum: 0x200 });
/** The part of `meta` that belongs to the key. */
export const KEY_META = META.keyBytes | META.isDigest;

const HEADER_WORDS = 10;
export const HEADER_BYTES = 4 * HEADER_WORDS;
/** Words of the header. */
const HEADER = Object.freeze({ magic: 0, version: 2, slots: 3, blockBytes: 4, epoch: 6, namespace: 7, check: 9 });
/** `KVTIERLG` */
const MAGIC = [0x4954564b, 0x474c5245];
const VERSION = 1;

/**
 * @typedef {object} Geometry
 * @property {number} slots blocks of a segment
 * @property {number} blockBytes
 */

/**
 * Two words that no other namespace has: the same key means other bytes there.
 *
 * @typedef {readonly [number, number]} NamespaceId
 */

/** Byte offset of the first slot. @param {number} slots */
export function dataOffset(slots) {
  return PAGE_BYTES + Math.ceil((slots * ENTRY_BYTES) / PAGE_BYTES) * PAGE_BYTES;
}

/** Bytes of a segment file. @param {Geometry} geometry */
export function segmentBytesOf({ slots, blockBytes }) {
  return dataOffset(slots) + slots * blockBytes;
}

/** The most slots that a segment file of `bytes` bytes has room for. @param {number} bytes @param {number} blockBytes */
export function slotsIn(bytes, blockBytes) {
  let slots = Math.max(0, Math.floor((bytes - PAGE_BYTES) / (blockBytes + ENTRY_BYTES)));
  while (slots > 0 && segmentBytesOf({ slots, blockBytes }) > bytes) slots--;
  return slots;
}

/** @param {Geometry & { namespace: NamespaceId }} geometry @param {number} epoch @returns {Uint8Array} */
export function encodeHeader({ slots, blockBytes, namespace }, epoch) {
  const words = new Uint32Array(HEADER_WORDS);
  words.set(MAGIC, HEADER.magic);
  words.set([VERSION, slots, blockBytes % 2 ** 32, Math.floor(blockBytes / 2 ** 32), epoch], HEADER.version);
  words.set(namespace, HEADER.namespace);
  words[HEADER.check] = mixed(words, 0, HEADER.check, 0);
  return new Uint8Array(words.buffer);
}

/**
 * The epoch of a header; `null` when it is damaged, or of a segment of another geometry or namespace.
 *
 * @param {Uint8Array} bytes `HEADER_BYTES` long @param {Geometry & { namespace: NamespaceId }} geometry
 * @returns {number | null}
 */
export function decodeHeader(bytes, geometry) {
  const epoch = new Uint32Array(Uint8Array.from(bytes).buffer)[HEADER.epoch] ?? 0;
  return encodeHeader(geometry, epoch).every((byte, i) => byte === bytes[i]) ? epoch : null;
}

/**
 * The checksum of the entry in `slot`: one that was moved to another slot does not pass.
 *
 * @param {Uint32Array} table @param {number} slot @returns {number}
 */
export function entryCheck(table, slot) {
  const start = slot * ENTRY_WORDS;
  return mixed(table, start, start + ENTRY.check, slot + 1);
}

/** Whether the entry in `slot` counts, in a segment of this epoch. @param {Uint32Array} table @param {number} slot @param {number} epoch */
export function isEntryValid(table, slot, epoch) {
  const start = slot * ENTRY_WORDS;
  return (
    table[start + ENTRY.epoch] === epoch &&
    ((table[start + ENTRY.meta] ?? 0) & META.keyBytes) !== 0 &&
    table[start + ENTRY.check] === entryCheck(table, slot)
  );
}

/** A hash of the key in the entry at word `start`. @param {Uint32Array} words @param {number} start @returns {number} */
export function keyHash(words, start) {
  return mixed(words, start, start + ENTRY.meta, (words[start + ENTRY.meta] ?? 0) & KEY_META);
}

/**
 * MurmurHash3, 32 bits, of the words from `start` to `end - 1`.
 *
 * @param {Uint32Array} words @param {number} start @param {number} end @param {number} seed
 * @returns {number} unsigned
 */
function mixed(words, start, end, seed) {
  let hash = seed;
  for (let i = start; i < end; i++) {
    let word = Math.imul(words[i] ?? 0, 0xcc9e2d51);
    word = (word << 15) | (word >>> 17);
    hash ^= Math.imul(word, 0x1b873593);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  hash ^= end - start;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
