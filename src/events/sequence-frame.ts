/** The number of a batch as vLLM frames it: 8 bytes, the highest first. */
export function sequenceFrame(sequence: bigint): Uint8Array {
  const frame = Buffer.alloc(8);
  frame.writeBigInt64BE(sequence);
  return frame;
}
