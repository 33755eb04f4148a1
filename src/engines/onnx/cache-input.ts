import { badState } from "../engine-state.js";
import type { OnnxInput, OnnxSession } from "./onnx-tensor.js";

/** Types that caches are exported with, and the array that each is given as (float16 as bits). */
const ELEMENTS = { float32: Float32Array, float16: Uint16Array } as const;

/** One of a model's `past_key_values.N.key` and `….value`, of the shape `[batch, heads, tokens, channels]`. */
export interface CacheInput {
  readonly past: string;
  /** The output that goes on from it. */
  readonly present: string;
  readonly type: keyof typeof ELEMENTS;
  readonly heads: number;
  readonly channels: number;
}

const PAST = /^past_key_values\.(\d+)\.(key|value)$/;

/**
 * The inputs that a model takes its KV state by, in the order of their layers, each key before its value.
 *
 * @throws KvTierError `INVALID_STATE` when there are none, or one is of another shape or type
 */
export function cacheInputsOf(session: OnnxSession): CacheInput[] {
  const inputs = session.inputMetadata.flatMap((input) => {
    const [, layer, part] = PAST.exec(input.name) ?? [];
    return layer === undefined || part === undefined ? [] : [{ input, layer: Number(layer), part }];
  });
  if (inputs.length === 0) throw badState("ONNX", "the model has no inputs past_key_values.N.key.");
  inputs.sort((a, b) => a.layer - b.layer || (a.part < b.part ? -1 : 1));
  return inputs.map(({ input, layer, part }) => cacheInput(input, `present.${layer}.${part}`));
}

/** Bytes of one token in it. */
export function bytesPerToken({ type, heads, channels }: CacheInput): number {
  return ELEMENTS[type].BYTES_PER_ELEMENT * heads * channels;
}

/** The array class of its values. */
export function arrayOf({ type }: CacheInput): (typeof ELEMENTS)[CacheInput["type"]] {
  return ELEMENTS[type];
}

function cacheInput({ name, type, shape = [] }: OnnxInput, present: string): CacheInput {
  const [, heads, , channels] = shape;
  if (shape.length !== 4 || !isSize(heads) || !isSize(channels)) {
    throw badState("ONNX", `${name} has the shape [${shape.join(", ")}], not [batch, heads, tokens, channels].`);
  }
  if (type !== "float32" && type !== "float16") throw badState("ONNX", `${name} is of the type ${String(type)}.`);
  return { past: name, present, type, heads, channels };
}

const isSize = (size: unknown): size is number => Number.isSafeInteger(size) && Number(size) > 0;
