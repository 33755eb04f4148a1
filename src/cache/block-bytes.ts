import { KvTierError } from "../errors/kv-tier-error.js";

/**
 * The bytes of each of a caller's blocks, in the caller's memory. A view of any element type counts by its bytes: setting
 * its elements into a slot would cut each down to one byte.
 *
 * @throws KvTierError `INVALID_STATE` when there is not one block per key, each a view of exactly `blockBytes` bytes.
 */
export function bytesOfBlocks(
  keys: readonly unknown[],
  blocks: readonly ArrayBufferView[],
  blockBytes: number,
): Uint8Array[] {
  if (keys.length !== blocks.length) {
    throw new KvTierError(
      "INVALID_STATE",
      `put needs one block per key; got ${keys.length} keys and ${blocks.length} blocks.`,
    );
  }
  return Array.from(blocks, (block, i) => bytesOf(block, i, blockBytes));
}

function bytesOf(block: unknown, index: number, blockBytes: number): Uint8Array {
  if (!ArrayBuffer.isView(block)) {
    throw new KvTierError("INVALID_STATE", `Block ${index} is no view of memory: give a Uint8Array, such as a Buffer.`);
  }
  const { buffer, byteOffset, byteLength } = block;
  if (byteLength !== blockBytes) {
    throw new KvTierError(
      "INVALID_STATE",
      `Block ${index} has ${byteLength} bytes; a block of this cache has ${blockBytes}.`,
    );
  }
  return new Uint8Array(buffer, byteOffset, byteLength);
}
