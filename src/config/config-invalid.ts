import { KvTierError, type ConfigProblem } from "../errors/kv-tier-error.js";

/**
 * The one error for all problems of a config, each on a line of its own.
 *
 * @param subject what is invalid, such as `config` or the name of a tier
 */
export function configInvalid(problems: readonly ConfigProblem[], subject = "config"): KvTierError {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.map(({ path, message }) => (path === "" ? `  ${message}` : `  ${path}: ${message}`));
  return new KvTierError("CONFIG_INVALID", [`Invalid ${subject}, ${count}:`, ...lines].join("\n"), { problems });
}
