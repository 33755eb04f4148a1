import { badState } from "../engine-state.js";
import { copyIntoState } from "./copy-rows.js";
import { parseSequenceState } from "./parse-sequence-state.js";
import { MAGIC, VERSION, type SequenceState } from "./sequence-state.js";
import { bytesPerToken, sameLayout, type StateLayout } from "./state-layout.js";
import { StateWriter } from "./state-writer.js";

/** Bytes of what stands before the runs of a tensor: three numbers, of which a row's length has 64 bits. */
const TENSOR_HEAD = 12;

/**
 * A sequence file of `tokens`, in the form that {@link parseSequenceState} describes. The envelope is made from the
 * layout alone, so no byte of it ever comes from a tier.
 *
 * @param tokens those of the blocks, so a multiple of `tokensPerBlock`
 * @param blocks of `tokensPerBlock` tokens each, read before this returns
 */
export function composeSequenceState(
  layout: StateLayout,
  tokens: readonly number[],
  tokensPerBlock: number,
  blocks: readonly Uint8Array[],
): Uint8Array {
  const state = writeEnvelope(layout, tokens);
  for (const [i, block] of blocks.entries()) copyIntoState(state, tokensPerBlock, i, block);
  return state.bytes;
}

/**
 * Whether an engine with this layout can load `bytes` as the state of `tokens`: the last look before it does, since it
 * aborts the process where this throws.
 *
 * @throws KvTierError `INVALID_STATE`
 */
export function assertLoadable(bytes: Uint8Array, layout: StateLayout, tokens: readonly number[]): void {
  const state = parseSequenceState(bytes);
  if (!sameLayout(state.layout, layout)) throw badState("llama.cpp", "its layout is not that of the engine.");
  if (state.sequenceId !== 0 || state.rows.some((row, position) => row !== position)) {
    throw badState("llama.cpp", "its cells are not in order.");
  }
  if (state.tokens.length !== tokens.length || state.tokens.some((token, i) => token !== tokens[i])) {
    throw badState("llama.cpp", "its tokens are not those that were asked for.");
  }
}

/** All but the runs, with room for them. The cells are in the order of their positions, in the first stream. */
function writeEnvelope(layout: StateLayout, tokens: readonly number[]): SequenceState {
  const { tensors, streams, valuesTransposed } = layout;
  const cells = tokens.length;
  const numbers = 3 + cells + 1 + 1 + 3 * cells + 2 + (streams - 1);
  const writer = new StateWriter(4 * numbers + TENSOR_HEAD * tensors.length + bytesPerToken(layout) * cells);
  writer.u32s([MAGIC, VERSION, cells]);
  writer.u32s(tokens);
  writer.u32s([streams, cells]);
  for (let position = 0; position < cells; position++) writer.u32s([position, 1, 0]);
  writer.u32s([valuesTransposed ? 1 : 0, tensors.length / 2]);
  const starts = tensors.map(({ type, bytes, runs }, i) => {
    const isByChannel = valuesTransposed && i >= tensors.length / 2;
    if (isByChannel) writer.u32s([type, bytes, runs]);
    else writer.rowHead(type, bytes);
    return writer.skip(bytes * runs * cells);
  });
  // The bytes after the first stream are those of empty ones, which say that they hold no cells: 0.
  const rows = Uint32Array.from(tokens, (_, position) => position);
  return { bytes: writer.bytes, layout, tokens, sequenceId: 0, rows, starts };
}
