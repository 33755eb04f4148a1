import type { Container } from "inversify";
import { didYouMean } from "../config/suggest-name.js";
import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { Class } from "../contracts/tier-metadata.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { SecondaryTierFactory } from "../factory/secondary-tier-factory.js";
import { TOKENS, tierToken } from "../tokens.js";

/**
 * Lets `implementation`, a decorated class or an instance, serve tiers of `type` that `container` creates from now on.
 * Their options are still checked by the config class that is registered for `type`.
 *
 * @throws KvTierError `INVALID_STATE` when no tier of that type is bound: a plain `rebind` would bind a misspelt one.
 */
export function rebindTier(
  container: Container,
  type: string,
  implementation: Class<SecondaryTierManager> | SecondaryTierManager,
): void {
  const token = tierToken(type);
  if (!container.isBound(token)) {
    throw new KvTierError("INVALID_STATE", `No tier is bound under ${token}. ${hintFor(container, type)}`);
  }
  const rebound = container.rebind(token);
  if (typeof implementation === "function") rebound.to(implementation).inTransientScope();
  else rebound.toConstantValue(implementation);
}

function hintFor(container: Container, type: string): string {
  // Asked of this container alone: a parent's factory must not come to serve from here.
  if (!container.isCurrentBound(TOKENS.tierFactory)) {
    return "Load tieringModule() into this container first, and check the type.";
  }
  const types = container.get<SecondaryTierFactory>(TOKENS.tierFactory).supportedTypes();
  return `${didYouMean(type, types)} Types of this container: ${types.join(", ")}.`.trimStart();
}
