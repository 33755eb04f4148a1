import { PAGE_BYTES } from "./worker/block-layout.js";

export const DIRECT_IO_MODES = ["auto", "on", "off"] as const;

export type DirectIoMode = (typeof DIRECT_IO_MODES)[number];

/** Below it the page cache is faster even where nothing is in it: it reads ahead and writes behind. */
const MIN_AUTO_BLOCK_BYTES = 2 ** 20;

export interface DirectIoQuestion {
  readonly mode: DirectIoMode;
  readonly blockBytes: number;
  /** Bytes that the tier may store; `undefined` = as much as there is. */
  readonly maxBytes: number | undefined;
  /** Bytes of memory that this process can have. */
  readonly memoryBytes: number;
}

/**
 * Whether stores and loads go past the page cache. By `auto` only where that can keep no more than a part of what is
 * stored, so that it costs a copy and memory and has little to give: large blocks, and more of them than fit in memory.
 */
export function wantsDirectIo({ mode, blockBytes, maxBytes, memoryBytes }: DirectIoQuestion): boolean {
  if (mode === "off" || blockBytes % PAGE_BYTES !== 0) return false;
  return mode === "on" || (blockBytes >= MIN_AUTO_BLOCK_BYTES && maxBytes !== undefined && maxBytes > memoryBytes);
}
