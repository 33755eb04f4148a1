/** What is used of a `Tensor` of onnxruntime: values in memory, in row-major order. */
export interface OnnxTensor {
  readonly type: string;
  readonly dims: readonly number[];
  /** Typed array; its bytes are the values. */
  readonly data: unknown;
}

/** The class `Tensor` of onnxruntime-node, or of another package of that family. */
export type OnnxTensorClass<Tensor extends OnnxTensor> = new (
  type: never,
  data: never,
  dims: readonly number[],
) => Tensor;

/** What is used of an `InferenceSession`: the names and shapes of its inputs. */
export interface OnnxSession {
  readonly inputMetadata: readonly OnnxInput[];
}

export interface OnnxInput {
  readonly name: string;
  readonly type?: string;
  /** Numbers, or names of sizes that are free. */
  readonly shape?: readonly (number | string)[];
}
