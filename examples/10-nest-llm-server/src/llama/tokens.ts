/** The model, its context and its sequences: `OpenLlama`. */
export const LLAMA = "llama";
/** Reuse of prompts that begin alike: `PrefixCache` of kvtier. */
export const PREFIXES = "prefixes";
