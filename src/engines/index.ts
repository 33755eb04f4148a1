import "reflect-metadata";

export type { KvEngine, SplitState } from "./kv-engine.js";
export type { LlamaCppOptions } from "./llama/llama-cpp-engine.js";
export type { LlamaSequence } from "./llama/llama-sequence.js";
export type { OnnxOptions } from "./onnx/onnx-engine.js";
export type { OnnxSequence } from "./onnx/onnx-sequence.js";
export type { OnnxInput, OnnxSession, OnnxTensor, OnnxTensorClass } from "./onnx/onnx-tensor.js";
export type { PrefixCacheOptions } from "./prefix-cache.js";
export type { PrefixOptions, PrefixUsage, RestoredPrefix } from "./prefix-usage.js";

export { modelFingerprint } from "./fingerprint.js";
export { LlamaCppEngine } from "./llama/llama-cpp-engine.js";
export { OnnxEngine } from "./onnx/onnx-engine.js";
export { PrefixCache } from "./prefix-cache.js";
