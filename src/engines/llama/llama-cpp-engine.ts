import { KvTierError } from "../../errors/kv-tier-error.js";
import { assertBlocks, assertTokens, assertTokensPerBlock, badState, splitState } from "../engine-state.js";
import { engineFingerprint } from "../fingerprint.js";
import type { KvEngine, SplitState } from "../kv-engine.js";
import { assertLoadable, composeSequenceState } from "./compose-sequence-state.js";
import { copyFromState } from "./copy-rows.js";
import type { LlamaSequence } from "./llama-sequence.js";
import { parseSequenceState } from "./parse-sequence-state.js";
import { ScratchFile } from "./scratch-file.js";
import { VERSION, type SequenceState } from "./sequence-state.js";
import { blockFields, bytesPerToken, sameLayout, type StateLayout } from "./state-layout.js";

const NAME = "llama.cpp";

/** Any token will do to see how a state looks: every vocabulary has this one. */
const SOME_TOKEN = 0;

/** A file's bytes per token beyond its runs (token and cell), and room for the rest of its envelope. */
const ENVELOPE_BYTES_PER_TOKEN = 16;
const ENVELOPE_BYTES = 64 * 1024;

export interface LlamaCppOptions {
  /**
   * A text that changes whenever the weights do: `modelFingerprint(path)`, or a name of your own with a revision. What
   * else changes the bytes of K and V and is not part of the context (adapters) belongs to the salt of `PrefixCache`.
   */
  readonly model: string;
  /** Tokens in one block. */
  readonly tokensPerBlock: number;
  /** Folder for the file that a state passes through. Absent: `/dev/shm` where that has room, else the temporary folder. */
  readonly folder?: string;
}

/**
 * The sequences of one context of node-llama-cpp, by the sequence files of llama.cpp. Flash attention on is the setting
 * to choose: V is then stored in rows, and a block is two copies per layer instead of one per channel.
 *
 * The fingerprint holds the model, the release of llama.cpp, the layers, rows and types of K and V, whether V is
 * transposed (flash attention is off) and the tokens per block. The number of sequences and the size of the context are
 * about the file around the blocks, and may differ.
 */
export class LlamaCppEngine implements KvEngine<LlamaSequence> {
  readonly fingerprint: string;
  readonly tokensPerBlock: number;
  readonly blockBytes: number;
  readonly #layout: StateLayout;
  readonly #folder: string | undefined;

  private constructor(layout: StateLayout, release: string, { model, tokensPerBlock, folder }: LlamaCppOptions) {
    this.fingerprint = engineFingerprint(NAME, model, [VERSION, release, tokensPerBlock, blockFields(layout)]);
    this.tokensPerBlock = tokensPerBlock;
    this.blockBytes = bytesPerToken(layout) * tokensPerBlock;
    this.#layout = layout;
    this.#folder = folder;
  }

  /**
   * Looks at how the states of a context are laid out: evaluates one token, saves, and empties the sequence again.
   *
   * @param sequence any of the context's sequences that is not in use
   * @throws KvTierError `INVALID_STATE` when the engine's files are not of the form that is known, or an option is wrong
   */
  static async open(sequence: LlamaSequence, options: LlamaCppOptions): Promise<LlamaCppEngine> {
    assertTokensPerBlock(options.tokensPerBlock);
    await sequence.clearHistory();
    try {
      await sequence.evaluateWithoutGeneratingNewTokens([SOME_TOKEN]);
      const { layout } = await save(sequence, 0, options.folder);
      const { repo, release } = sequence.model.llama.llamaCppRelease;
      return new LlamaCppEngine(layout, `${repo}@${release}`, options);
    } finally {
      await sequence.clearHistory();
    }
  }

  async split(sequence: LlamaSequence, tokens: readonly number[]): Promise<SplitState> {
    if (tokens.length > sequence.contextSize) {
      throw badState(NAME, `${tokens.length} tokens have passed through a context of ${sequence.contextSize}.`);
    }
    const state = await save(sequence, this.#fileBytes(tokens.length), this.#folder);
    if (!sameLayout(state.layout, this.#layout)) throw badState(NAME, "its layout is not that of the engine.");
    assertTokens(NAME, state.tokens, tokens);
    const { tokensPerBlock, blockBytes } = this;
    const blocks = Math.floor(state.tokens.length / tokensPerBlock);
    return splitState(NAME, { blocks, blockBytes }, (index, slot) => copyFromState(state, tokensPerBlock, index, slot));
  }

  async join(sequence: LlamaSequence, tokens: readonly number[], blocks: readonly Uint8Array[]): Promise<void> {
    try {
      assertBlocks(NAME, this, tokens, blocks);
      if (tokens.length > sequence.contextSize) {
        throw badState(NAME, `${tokens.length} tokens do not fit into a context of ${sequence.contextSize}.`);
      }
      const bytes = composeSequenceState(this.#layout, tokens, this.tokensPerBlock, blocks);
      assertLoadable(bytes, this.#layout, tokens);
      await this.#load(sequence, bytes);
      if (sequence.contextTokens.length !== tokens.length) throw badState(NAME, "the engine has loaded other tokens.");
      assertTokens(NAME, sequence.contextTokens, tokens);
    } catch (error) {
      await sequence.clearHistory();
      throw KvTierError.is(error) ? error : badState(NAME, "the engine refused it.", error);
    }
  }

  async clear(sequence: LlamaSequence): Promise<void> {
    await sequence.clearHistory();
  }

  async #load(sequence: LlamaSequence, bytes: Uint8Array): Promise<void> {
    const file = await ScratchFile.create(bytes.length, this.#folder);
    try {
      await file.write(bytes);
      await sequence.loadStateFromFile(file.path, { acceptRisk: true });
    } finally {
      await file.close();
    }
  }

  #fileBytes(tokens: number): number {
    return tokens * (bytesPerToken(this.#layout) + ENVELOPE_BYTES_PER_TOKEN) + ENVELOPE_BYTES;
  }
}

/** @param bytes that the file will have, roughly */
async function save(sequence: LlamaSequence, bytes: number, folder: string | undefined): Promise<SequenceState> {
  const file = await ScratchFile.create(bytes, folder);
  try {
    await sequence.saveStateToFile(file.path);
    return parseSequenceState(await file.read());
  } catch (error) {
    throw KvTierError.is(error) ? error : badState(NAME, "the engine could not save it.", error);
  } finally {
    await file.close();
  }
}
