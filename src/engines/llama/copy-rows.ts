import type { SequenceState } from "./sequence-state.js";

/**
 * Copies the tokens of block `index` from a file into `slot`. A block is, for each tensor of the layout, its runs one
 * after the other, each with the block's tokens in order: without the envelope, and the same wherever the cells lay.
 */
export function copyFromState(state: SequenceState, tokensPerBlock: number, index: number, slot: Uint8Array): void {
  const stretches = stretchesOf(state.rows, index * tokensPerBlock, tokensPerBlock);
  let to = 0;
  for (const [i, { bytes, runs }] of state.layout.tensors.entries()) {
    let run = state.starts[i] ?? 0;
    for (let left = runs; left > 0; left--, run += bytes * state.rows.length) {
      for (const { row, count } of stretches) {
        slot.set(state.bytes.subarray(run + row * bytes, run + (row + count) * bytes), to);
        to += count * bytes;
      }
    }
  }
}

/** The other way, into a file whose rows are in the order of their positions. */
export function copyIntoState(state: SequenceState, tokensPerBlock: number, index: number, block: Uint8Array): void {
  let from = 0;
  for (const [i, { bytes, runs }] of state.layout.tensors.entries()) {
    const length = tokensPerBlock * bytes;
    let to = (state.starts[i] ?? 0) + index * length;
    for (let left = runs; left > 0; left--, to += bytes * state.rows.length, from += length) {
      state.bytes.set(block.subarray(from, from + length), to);
    }
  }
}

/** Rows that follow each other in the file as their positions do; nearly always all of them. */
function stretchesOf(rows: Uint32Array, first: number, count: number): { row: number; count: number }[] {
  const stretches: { row: number; count: number }[] = [];
  for (const row of rows.subarray(first, first + count)) {
    const last = stretches.at(-1);
    if (last !== undefined && last.row + last.count === row) last.count++;
    else stretches.push({ row, count: 1 });
  }
  return stretches;
}
