/** Bytes that no other block has, and no other position of this one. */
export function patternOf(n: number, blockBytes: number): Uint8Array {
  const bytes = new Uint8Array(blockBytes);
  const words = new Uint32Array(bytes.buffer, 0, blockBytes >> 2);
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(n + 1, 2654435761) ^ Math.imul(i, 40503);
  return bytes;
}
