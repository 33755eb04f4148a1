import { assertBlocks, assertTokens, assertTokensPerBlock, badState, splitState } from "../engine-state.js";
import { engineFingerprint } from "../fingerprint.js";
import type { KvEngine, SplitState } from "../kv-engine.js";
import { arrayOf, bytesPerToken, cacheInputsOf, type CacheInput } from "./cache-input.js";
import { OnnxSequence } from "./onnx-sequence.js";
import type { OnnxSession, OnnxTensor, OnnxTensorClass } from "./onnx-tensor.js";

const NAME = "ONNX";

export interface OnnxOptions<Tensor extends OnnxTensor> {
  /** The model's session; its inputs say how many layers, heads and channels there are. */
  readonly session: OnnxSession;
  /** `Tensor` of the same package. */
  readonly Tensor: OnnxTensorClass<Tensor>;
  /** A text that changes whenever the weights do, such as `modelFingerprint(path)`. */
  readonly model: string;
  /** Tokens in one block. */
  readonly tokensPerBlock: number;
}

/**
 * Models in ONNX whose KV state goes in as `past_key_values.N.key` and `….value` and comes out as `present.N.key` and
 * `….value`, each `[batch, heads, tokens, channels]` of float32 or float16, as Optimum exports decoders. One sequence at
 * a time: the batch is 1. Tensors lie in memory of the CPU.
 *
 * The fingerprint holds the model, the shape and type of every such input, and the tokens per block. A block is, layer by
 * layer, key then value, `[heads, tokensPerBlock, channels]`.
 */
export class OnnxEngine<Tensor extends OnnxTensor> implements KvEngine<OnnxSequence<Tensor>> {
  readonly fingerprint: string;
  readonly tokensPerBlock: number;
  readonly blockBytes: number;
  readonly #inputs: readonly CacheInput[];
  readonly #Tensor: OnnxTensorClass<Tensor>;

  /** @throws KvTierError `INVALID_STATE` when the model is of another kind, or an option is wrong */
  constructor({ session, Tensor, model, tokensPerBlock }: OnnxOptions<Tensor>) {
    assertTokensPerBlock(tokensPerBlock);
    this.#inputs = cacheInputsOf(session);
    this.#Tensor = Tensor;
    this.tokensPerBlock = tokensPerBlock;
    this.blockBytes = tokensPerBlock * this.#inputs.reduce((sum, input) => sum + bytesPerToken(input), 0);
    const shapes = this.#inputs.map(({ past, type, heads, channels }) => [past, type, heads, channels]);
    this.fingerprint = engineFingerprint(NAME, model, [tokensPerBlock, shapes]);
  }

  /** A sequence without tokens. */
  newSequence(): OnnxSequence<Tensor> {
    return new OnnxSequence(this.#inputs, this.#pastOf(0));
  }

  async split(sequence: OnnxSequence<Tensor>, tokens: readonly number[]): Promise<SplitState> {
    assertTokens(NAME, sequence.tokens, tokens);
    const length = sequence.tokens.length;
    const tensors = this.#inputs.map((input) => bytesOf(input, sequence.past[input.past], length));
    const blocks = Math.floor(length / this.tokensPerBlock);
    return splitState(NAME, { blocks, blockBytes: this.blockBytes }, (index, slot) => {
      this.#eachPiece(length, index, (tensor, at, inBlock, bytes) => {
        slot.set((tensors[tensor] ?? slot).subarray(at, at + bytes), inBlock);
      });
    });
  }

  async join(sequence: OnnxSequence<Tensor>, tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void> {
    await this.clear(sequence);
    assertBlocks(NAME, this, tokens, blocks);
    const past = this.#pastOf(tokens.length);
    const tensors = this.#inputs.map((input) => bytesOf(input, past[input.past], tokens.length));
    for (const [index, block] of blocks.entries()) {
      this.#eachPiece(tokens.length, index, (tensor, at, inBlock, bytes) => {
        tensors[tensor]?.set(block.subarray(inBlock, inBlock + bytes), at);
      });
    }
    sequence.replace([...tokens], past);
  }

  async clear(sequence: OnnxSequence<Tensor>): Promise<void> {
    sequence.replace([], this.#pastOf(0));
  }

  /** For each head of each tensor of `length` tokens: where the tokens of block `index` lie, in it and in the block. */
  #eachPiece(
    length: number,
    index: number,
    visit: (tensor: number, at: number, inBlock: number, bytes: number) => void,
  ): void {
    let inBlock = 0;
    for (const [tensor, input] of this.#inputs.entries()) {
      const rowBytes = bytesPerToken(input) / input.heads;
      const bytes = this.tokensPerBlock * rowBytes;
      for (let head = 0; head < input.heads; head++, inBlock += bytes) {
        visit(tensor, (head * length + index * this.tokensPerBlock) * rowBytes, inBlock, bytes);
      }
    }
  }

  /** The inputs for `length` tokens, all zeros. */
  #pastOf(length: number): Record<string, Tensor> {
    return Object.fromEntries(
      this.#inputs.map((input) => {
        const { past, type, heads, channels } = input;
        const data = new (arrayOf(input))(heads * length * channels);
        return [past, new this.#Tensor(type as never, data as never, [1, heads, length, channels])];
      }),
    );
  }
}

/**
 * The bytes of a tensor, not copied.
 *
 * @throws KvTierError `INVALID_STATE` unless it is `input` for `length` tokens of one sequence
 */
function bytesOf(input: CacheInput, tensor: OnnxTensor | undefined, length: number): Uint8Array {
  const { past, type, heads, channels } = input;
  const dims = [1, heads, length, channels];
  if (tensor?.type !== type || tensor.dims.length !== 4 || dims.some((size, i) => tensor.dims[i] !== size)) {
    const found = tensor && `${tensor.type} [${tensor.dims.join(", ")}]`;
    throw badState(NAME, `${past} is ${found ?? "missing"}, not ${type} [${dims.join(", ")}].`);
  }
  const { data } = tensor;
  if (!ArrayBuffer.isView(data) || data.byteLength !== bytesPerToken(input) * length) {
    throw badState(NAME, `${past} has its values elsewhere than in memory of the CPU, or another number of them.`);
  }
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
