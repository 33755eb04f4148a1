import { badState } from "../engine-state.js";

/**
 * The types that llama.cpp takes for a KV cache, by their number in `ggml.h`, with the bytes of the smallest piece of
 * each: one value, or 32 that share a scale.
 */
const PIECE_BYTES: ReadonlyMap<number, number> = new Map([
  [0, 4], // f32
  [1, 2], // f16
  [2, 18], // q4_0
  [3, 20], // q4_1
  [6, 22], // q5_0
  [7, 24], // q5_1
  [8, 34], // q8_0
  [20, 18], // iq4_nl
  [30, 2], // bf16
]);

/** Of these a piece is one value, which can lie apart from the rest of its row: f32, f16, bf16. */
const SINGLE_VALUES: ReadonlySet<number> = new Set([0, 1, 30]);

/** One layer's K or V. In a file it is `runs` runs, one after the other, each of `bytes` bytes per token. */
export interface CacheTensor {
  /** Number of the type in `ggml.h`. */
  readonly type: number;
  /** Bytes of one token in one run. */
  readonly bytes: number;
  /** One, whole rows; for a V that is stored transposed as many as it has channels. */
  readonly runs: number;
}

/** All about a context's sequence files that does not depend on the tokens. */
export interface StateLayout {
  /** One, or as many as the context has sequences when each has cells of its own. */
  readonly streams: number;
  /** Whether V is stored by channel: flash attention is off. */
  readonly valuesTransposed: boolean;
  /** K of every layer, then V of every layer: the order in a file and in a block. */
  readonly tensors: readonly CacheTensor[];
}

/** Bytes that one token takes in all of `tensors`. */
export function bytesPerToken({ tensors }: StateLayout): number {
  return tensors.reduce((sum, { bytes, runs }) => sum + bytes * runs, 0);
}

export function sameLayout(a: StateLayout, b: StateLayout): boolean {
  return JSON.stringify(layoutFields(a)) === JSON.stringify(layoutFields(b));
}

/** What of a layout is about blocks: streams are about the file around them. */
export function blockFields({ valuesTransposed, tensors }: StateLayout): unknown[] {
  return [valuesTransposed, ...tensors.map(({ type, bytes, runs }) => [type, bytes, runs])];
}

/** A K, or a V that is not transposed: one run of whole rows. */
export function rowTensor(type: number, rowBytes: number, what: string): CacheTensor {
  const piece = pieceBytes(type, what);
  if (rowBytes === 0 || rowBytes % piece !== 0) {
    throw badState("llama.cpp", `the rows of ${what} have ${rowBytes} bytes, not a multiple of ${piece}.`);
  }
  return { type, bytes: rowBytes, runs: 1 };
}

/** A transposed V: a run for each of `width` channels. */
export function channelTensor(type: number, elementBytes: number, width: number, what: string): CacheTensor {
  if (!SINGLE_VALUES.has(type)) throw badState("llama.cpp", `${what} is transposed and of the cache type ${type}.`);
  if (elementBytes !== pieceBytes(type, what) || width === 0) {
    throw badState("llama.cpp", `${what} has ${width} channels of ${elementBytes} bytes.`);
  }
  return { type, bytes: elementBytes, runs: width };
}

const layoutFields = (layout: StateLayout): unknown[] => [layout.streams, ...blockFields(layout)];

function pieceBytes(type: number, what: string): number {
  const bytes = PIECE_BYTES.get(type);
  if (bytes === undefined) throw badState("llama.cpp", `${what} is of the cache type ${type}, which is not known.`);
  return bytes;
}
