import { peerDependencyMissing } from "../../errors/peer-errors.js";
import { codeOf } from "./code-of.js";

/** What Node, and what test runners in its place, give an import that finds nothing. */
const NOT_FOUND: ReadonlySet<unknown> = new Set(["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"]);

/**
 * Loads optional packages, which users install beside kvtier for the tiers that they use.
 *
 * @param user who needs them, for the error: `The obj tier`
 * @param packages what to install, each with its version: `undici@7`
 * @param load imports them
 * @throws KvTierError `PEER_DEPENDENCY_MISSING` when one is not there; what else goes wrong is thrown as it is
 */
export async function loadPeers<T>(user: string, packages: readonly string[], load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw NOT_FOUND.has(codeOf(cause)) ? peerDependencyMissing(user, packages, cause) : cause;
  }
}
