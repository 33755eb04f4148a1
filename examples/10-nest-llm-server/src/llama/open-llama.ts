import { modelFingerprint, LlamaCppEngine } from "kvtier/engines";
import { getLlama, LlamaLogLevel, type LlamaContext, type LlamaContextSequence, type LlamaModel } from "node-llama-cpp";
import type { Settings } from "../settings.js";

const TOKENS_PER_BLOCK = 16;

/** A model with a context, all of the context's sequences, and the adapter between these and kvtier. */
export interface OpenLlama {
  readonly model: LlamaModel;
  readonly context: LlamaContext;
  readonly sequences: readonly LlamaContextSequence[];
  readonly engine: LlamaCppEngine;
  dispose(): Promise<void>;
}

export async function openLlama({
  model: modelPath,
  sequences: count,
  contextSize,
  threads,
}: Settings): Promise<OpenLlama> {
  // Never compiles anything, and so starts alike everywhere.
  const llama = await getLlama({ build: "never", gpu: false, logLevel: LlamaLogLevel.error });
  const model = await llama.loadModel({ modelPath });
  // Flash attention: V in rows, so that blocks are copied in long pieces.
  const context = await model.createContext({ contextSize, sequences: count, flashAttention: true, threads });
  const sequences = Array.from({ length: count }, () => context.getSequence());
  const [first] = sequences;
  if (first === undefined) throw new Error("SEQUENCES must be at least 1.");
  const engine = await LlamaCppEngine.open(first, {
    model: await modelFingerprint(modelPath),
    tokensPerBlock: TOKENS_PER_BLOCK,
  });
  const dispose = async (): Promise<void> => {
    await context.dispose();
    await model.dispose();
    await llama.dispose();
  };
  return { model, context, sequences, engine, dispose };
}
