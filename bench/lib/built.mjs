const DIST = new URL("../../dist/", import.meta.url);

/** @param {string} file below `dist` @returns {Promise<any>} */
const importBuilt = (file) => import(new URL(file, DIST).href);

/**
 * The pool's bookkeeping, which the package does not export: for benches of a single call of it.
 *
 * @returns {Promise<typeof import("../../src/primary/primary-tier.js")>}
 */
export async function importPrimaryTier() {
  return importBuilt("primary/primary-tier.js");
}

/**
 * How the command draws its tables.
 *
 * @returns {Promise<typeof import("../../src/cli/format.js")>}
 */
export async function importFormat() {
  return importBuilt("cli/format.js");
}
