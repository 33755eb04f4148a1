import { createTiering } from "kvtier";
import { PrefixCache } from "kvtier/engines";

/** A pool of 256 blocks for an engine, with a folder behind it. @param {import("./decoder.mjs").Decoder} decoder @param {string} folder */
export async function openPrefixes({ engine }, folder) {
  const { cache, close } = await createTiering({
    cpu_bytes_to_use: 256 * engine.blockBytes,
    block_bytes: engine.blockBytes,
    model: { name: "tiny-onnx", dtype: "float32", tokens_per_block: engine.tokensPerBlock },
    secondary_tiers: [{ type: "fs", root_dir: folder }],
  });
  return { cache, close, prefixes: new PrefixCache({ cache, engine }) };
}
