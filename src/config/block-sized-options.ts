import type { ConfigProblem } from "../errors/kv-tier-error.js";

/** An instance of a tier's config class of which some options have to fit the size of a block, which is no option of theirs. */
export interface BlockSizedOptions {
  /** What does not fit blocks of `blockBytes` bytes; paths begin below the tier. */
  problemsFor(blockBytes: number): readonly ConfigProblem[];
}

export function isBlockSized(options: unknown): options is BlockSizedOptions {
  return typeof options === "object" && options !== null && "problemsFor" in options;
}
