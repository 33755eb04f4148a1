import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { attempt } from "./attempt.js";
import { isBlockSized } from "./block-sized-options.js";
import { parseComponentName } from "./component-name.js";
import type { ConfigCatalog } from "./config-catalog.js";
import { joinPath } from "./config-path.js";
import { describeValue } from "./describe-value.js";
import { mergeDefaults } from "./merge-defaults.js";
import { BACKPRESSURE_KEYS, splitBackpressure, type BackpressureParts } from "./split-backpressure.js";
import { COMMON_TIER_KEYS, splitTierConfig, tierOptionsFor, type TierConfigParts } from "./split-tier-config.js";
import { didYouMean } from "./suggest-name.js";
import { validateOptions } from "./validate-options.js";

/**
 * Every problem of one entry of `secondary_tiers`, as far as it can be told without importing a module.
 *
 * @param blockBytes size of a block; `undefined` when that is not known, as it is a problem itself
 */
export function checkTier(
  catalog: ConfigCatalog,
  raw: unknown,
  path: string,
  blockBytes: number | undefined,
): readonly ConfigProblem[] {
  const parts = splitTierConfig(raw, path);
  return [
    ...parts.problems,
    ...checkType(catalog, parts, path),
    ...checkOptions(catalog, parts, path, blockBytes),
    ...(parts.backpressure === undefined ? [] : checkBackpressure(catalog, parts, path)),
  ];
}

function checkType(catalog: ConfigCatalog, parts: TierConfigParts, path: string): ConfigProblem[] {
  const { type, modulePath } = parts;
  if (type === undefined || modulePath !== undefined || catalog.isKnownType(type)) return [];
  const types = catalog.tierTypes();
  return [
    {
      path: joinPath(path, "type"),
      message:
        `Unknown secondary tier type ${describeValue(type)}.${didYouMean(type, types)} ` +
        `Supported types: ${types.join(", ")}. For a tier of your own, add module_path`,
    },
  ];
}

function checkOptions(
  catalog: ConfigCatalog,
  parts: TierConfigParts,
  path: string,
  blockBytes: number | undefined,
): readonly ConfigProblem[] {
  const contract = parts.type === undefined ? undefined : catalog.tier(parts.type)?.config;
  if (contract === undefined) return [];
  const { value, problems } = validateOptions(contract, tierOptionsFor(contract, parts), path, COMMON_TIER_KEYS);
  if (blockBytes === undefined || !isBlockSized(value)) return problems;
  return value.problemsFor(blockBytes).map((problem) => ({ ...problem, path: joinPath(path, problem.path) }));
}

function checkBackpressure(catalog: ConfigCatalog, tier: TierConfigParts, tierPath: string): ConfigProblem[] {
  const path = joinPath(tierPath, "backpressure");
  const parts = splitBackpressure(tier.backpressure, path);
  return [...parts.problems, ...checkDetector(catalog, tier, parts, path), ...checkPolicy(catalog, parts, path)];
}

function checkDetector(
  catalog: ConfigCatalog,
  tier: TierConfigParts,
  parts: BackpressureParts,
  path: string,
): readonly ConfigProblem[] {
  if (parts.detectorName === undefined) return [];
  const ref = parseComponentName(parts.detectorName, (name) => catalog.detector(name) !== undefined);
  if (ref.kind === "export") return [];
  const detector = catalog.detector(ref.name);
  if (detector === undefined) {
    const message = unknownName("detector", parts.detectorName, catalog.detectorNames());
    return [{ path: joinPath(path, parts.detectorKey), message }];
  }
  const problems: ConfigProblem[] = [];
  const defaults = attempt(() => detector.defaults(tier.type ?? "", tier.locality), path, problems) ?? {};
  const options = mergeDefaults(detector.config, defaults, parts.detectorOptions);
  return [...problems, ...validateOptions(detector.config, options, path, BACKPRESSURE_KEYS).problems];
}

function checkPolicy(catalog: ConfigCatalog, parts: BackpressureParts, path: string): readonly ConfigProblem[] {
  const namePath = joinPath(path, parts.policyKey);
  if (parts.problems.some((problem) => problem.path === namePath)) return [];
  const written = parts.policyName ?? catalog.defaultPolicy;
  const ref = parseComponentName(written, (name) => catalog.policy(name) !== undefined);
  if (ref.kind === "export") return [];
  const policy = catalog.policy(ref.name);
  if (policy === undefined) {
    const message = unknownName("policy", written, catalog.policyNames());
    return [{ path: namePath, message }];
  }
  return validateOptions(policy.config, parts.policyOptions, joinPath(path, "policy")).problems;
}

function unknownName(what: string, written: string, known: readonly string[]): string {
  return (
    `unknown ${what} ${describeValue(written)}.${didYouMean(written, known)} Known: ${known.join(", ")}. ` +
    "A class of your own is named with its module: module#Export"
  );
}
