import { isPlainObject } from "../../config/plain-data.js";
import type { LoadedConfig } from "../load-config.js";

/** What the two spellings of the sizes are, to be replaced together. */
const SIZE_KEYS: ReadonlySet<string> = new Set(["block_bytes", "blockBytes", "cpu_bytes_to_use", "cpuBytesToUse"]);

/** The config with blocks of another size, in a pool of as many blocks as before. */
export function withBlockBytes({ raw, parsed }: LoadedConfig, blockBytes: number): unknown {
  const others = Object.entries(isPlainObject(raw) ? raw : {}).filter(([key]) => !SIZE_KEYS.has(key));
  return {
    ...Object.fromEntries(others),
    block_bytes: blockBytes,
    cpu_bytes_to_use: parsed.numBlocks * blockBytes,
  };
}
