import { createTiering } from "kvtier";

/** Which of the tiers that keep their blocks on a local disk there are in this build. @returns {Promise<("fs" | "log")[]>} */
export async function diskTiers() {
  const { factory, close } = await createTiering({
    cpu_bytes_to_use: 1,
    block_bytes: 1,
    model: { name: "bench", dtype: "float16", tokens_per_block: 16 },
  });
  const types = new Set(factory.supportedTypes());
  await close();
  return /** @type {const} */ (["fs", "log"]).filter((type) => types.has(type));
}

/** Bytes that a `log` of a bench may have: more than what is read again. */
const LOG_BYTES = 1.5 * 2 ** 30;

/** The config of a disk tier, with the defaults of its options. @param {"fs" | "log"} type @param {string} folder */
export function diskTier(type, folder) {
  return type === "log" ? { type, root_dir: folder, max_bytes: LOG_BYTES } : { type, root_dir: folder };
}

/** Bytes after which every further store of a {@link diskTier} of type `log` goes to a recycled segment. */
export const LOG_LAP_BYTES = 1.25 * LOG_BYTES;
