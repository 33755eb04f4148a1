import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";

/**
 * Runs `use` with a new folder in `dir`, and removes that with all that is in it.
 *
 * @template T @param {string} dir @param {(folder: string) => Promise<T>} use @returns {Promise<T>}
 */
export async function withFolder(dir, use) {
  const folder = await mkdtemp(join(dir, "kvtier-bench-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
