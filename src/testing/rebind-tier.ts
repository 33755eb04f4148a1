import type { Container } from "inversify";
import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import type { Class } from "../contracts/tier-metadata.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { tierToken } from "../tokens.js";

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
    throw new KvTierError(
      "INVALID_STATE",
      `No tier is bound under ${token}: load tieringModule() into this container first, and check the type.`,
    );
  }
  const rebound = container.rebind(token);
  if (typeof implementation === "function") rebound.to(implementation).inTransientScope();
  else rebound.toConstantValue(implementation);
}
