/** What is used of a `LlamaContextSequence` of node-llama-cpp 3. */
export interface LlamaSequence {
  /** Tokens that the sequence can hold. */
  readonly contextSize: number;
  /** Tokens that were evaluated, in order. */
  readonly contextTokens: readonly number[];
  readonly model: { readonly llama: { readonly llamaCppRelease: { readonly repo: string; readonly release: string } } };
  saveStateToFile(path: string): Promise<unknown>;
  loadStateFromFile(path: string, acceptRisk: { acceptRisk: true }): Promise<void>;
  clearHistory(): Promise<void>;
  evaluateWithoutGeneratingNewTokens(tokens: number[]): Promise<void>;
}
