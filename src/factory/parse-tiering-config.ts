import { parseTieringConfigWith } from "../config/parse-tiering-config.js";
import type { TieringConfigInput, UntypedConfig } from "../config/tiering-config-input.js";
import type { TieringConfig } from "../config/tiering-config.js";
import { tierToken } from "../tokens.js";
import { catalogOf } from "./catalog-of.js";
import { Registries, type ComponentClasses } from "./registries.js";

export interface ParseOptions extends ComponentClasses {
  /** Tier types that are registered or bound elsewhere; their options are not checked here. */
  readonly types?: readonly string[];
}

/**
 * Reads a config: every default filled in, every option of every known tier, detector and policy checked. Synchronous,
 * touches no disk and imports nothing; what needs an import is checked when the tier is created.
 *
 * @throws KvTierError `CONFIG_INVALID` with every problem and its path.
 */
export function parseTieringConfig<Config>(config: UntypedConfig<Config>, options?: ParseOptions): TieringConfig;
export function parseTieringConfig(config: TieringConfigInput, options?: ParseOptions): TieringConfig;
export function parseTieringConfig(config: unknown, options: ParseOptions = {}): TieringConfig {
  const types = new Set((options.types ?? []).map(tierToken));
  return parseTieringConfigWith(
    catalogOf(new Registries(options), (token) => types.has(token)),
    config,
  );
}
