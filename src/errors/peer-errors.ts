import { KvTierError } from "./kv-tier-error.js";

/**
 * @param user who needs the packages, such as `The obj tier`
 * @param packages what to install, each with its version: `undici@7`
 */
export function peerDependencyMissing(user: string, packages: readonly string[], cause: unknown): KvTierError {
  const what = packages.length === 1 ? "the package" : "the packages";
  return new KvTierError(
    "PEER_DEPENDENCY_MISSING",
    `${user} needs ${what} ${packages.map(nameOf).join(", ")}, and not all is installed. ` +
      `Run: npm install ${packages.join(" ")}`,
    { cause },
  );
}

const nameOf = (spec: string): string => spec.replace(/(?<=.)@.*$/, "");
