import { readFile, writeFile } from "node:fs/promises";
import type { LlamaSequence } from "../../../src/engines/llama/llama-sequence.js";
import { parseSequenceState } from "../../../src/engines/llama/parse-sequence-state.js";
import { stateFile, type StateShape } from "./llama-state-file.js";

const RELEASE = { repo: "ggml-org/llama.cpp", release: "b1" };

/** A sequence with real files, whose values follow from tokens and positions. A state that was loaded is handed back. */
export class FakeLlamaSequence implements LlamaSequence {
  readonly model = { llama: { llamaCppRelease: { ...RELEASE } } };
  readonly contextSize: number;
  contextTokens: readonly number[] = [];
  /** Every path that was saved to or loaded from. */
  readonly paths: string[] = [];
  /** Every file that was handed over for a load. */
  readonly loaded: Uint8Array[] = [];
  /** What to change in the next file that is saved. */
  damage: ((bytes: Uint8Array) => Uint8Array) | undefined;
  /** The error of the next load. */
  refusal: Error | undefined;
  readonly #shape: Omit<StateShape, "tokens">;

  constructor(shape: Omit<StateShape, "tokens">, contextSize = 64) {
    this.#shape = shape;
    this.contextSize = contextSize;
  }

  async saveStateToFile(path: string): Promise<{ fileSize: number }> {
    this.paths.push(path);
    const { bytes } = stateFile({ ...this.#shape, tokens: this.contextTokens });
    const written = this.damage?.(bytes) ?? bytes;
    await writeFile(path, written);
    return { fileSize: written.length };
  }

  async loadStateFromFile(path: string): Promise<void> {
    this.paths.push(path);
    // As node-llama-cpp does, whatever comes of the load.
    this.contextTokens = [];
    if (this.refusal !== undefined) throw this.refusal;
    const bytes = await readFile(path);
    this.loaded.push(bytes);
    this.contextTokens = parseSequenceState(bytes).tokens;
  }

  async clearHistory(): Promise<void> {
    this.contextTokens = [];
  }

  async evaluateWithoutGeneratingNewTokens(tokens: readonly number[]): Promise<void> {
    this.contextTokens = [...this.contextTokens, ...tokens];
  }
}
