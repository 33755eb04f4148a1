import type { StateLayout } from "./state-layout.js";

/** `ggsq`, as the number that a file starts with. */
export const MAGIC = 0x67677371;

/** The one version that is read and written: `LLAMA_STATE_SEQ_VERSION` of llama.cpp in 2026. */
export const VERSION = 3;

/** What a sequence file of llama.cpp says. */
export interface SequenceState {
  readonly bytes: Uint8Array;
  readonly layout: StateLayout;
  readonly tokens: readonly number[];
  /** Number of the sequence that was saved; a load goes into whichever is asked for. */
  readonly sequenceId: number;
  /** `rows[p]` is the row of position `p`: cells lie in the order of the cache, not of the text. */
  readonly rows: Uint32Array;
  /** Where the first run of each of `layout.tensors` begins. */
  readonly starts: readonly number[];
}
