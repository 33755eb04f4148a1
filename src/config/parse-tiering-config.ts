import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { attempt } from "./attempt.js";
import { checkTier } from "./check-tier.js";
import type { ConfigCatalog } from "./config-catalog.js";
import { configInvalid } from "./config-invalid.js";
import { joinPath } from "./config-path.js";
import { describeValue, kindOf } from "./describe-value.js";
import { freezeDeep } from "./freeze-deep.js";
import { clonePlainData, isPlainObject } from "./plain-data.js";
import { didYouMean } from "./suggest-name.js";
import { takeKeys } from "./take-keys.js";
import type { TieringConfig } from "./tiering-config.js";
import { TieringOptions } from "./tiering-options.js";
import { validateOptions } from "./validate-options.js";

/** The spec of upstream (vLLM) that has a primary pool and nothing behind it. */
const POOL_ONLY_SPEC = "CPUOffloadingSpec";

/**
 * Reads a whole config against what `catalog` knows. Synchronous, touches no disk, imports nothing: options of a class
 * that a module would have to be imported for are checked when it is created.
 *
 * @throws KvTierError `CONFIG_INVALID` with every problem, unknown types and names included.
 */
export function parseTieringConfigWith(catalog: ConfigCatalog, raw: unknown): TieringConfig {
  const problems: ConfigProblem[] = [];
  const parsed = attempt(() => readConfig(catalog, raw, problems), "", problems);
  if (parsed === undefined || problems.length > 0) throw configInvalid(problems);
  return parsed;
}

function readConfig(catalog: ConfigCatalog, raw: unknown, problems: ConfigProblem[]): TieringConfig | undefined {
  if (!isPlainObject(raw)) {
    const message = `the config must be an object with cpu_bytes_to_use, block_bytes and model; got ${kindOf(raw)}`;
    problems.push({ path: "", message });
    return undefined;
  }
  // The entries are read by the tiers' own contracts, so the top level sees an empty list in their place.
  const { given } = takeKeys(raw, ["secondaryTiers", "specName"], "", []);
  const tiers = given.get("secondaryTiers");
  const tiersKey = tiers?.key ?? "secondary_tiers";
  const specKey = given.get("specName")?.key ?? "spec_name";
  // A hole in the list is an entry too, which is not there.
  const entries: readonly unknown[] = Array.isArray(tiers?.value) ? Array.from<unknown>(tiers.value) : [];
  const topLevel = Object.create(null) as Record<PropertyKey, unknown>;
  for (const key of Reflect.ownKeys(raw)) topLevel[key] = key === tiersKey && Array.isArray(raw[key]) ? [] : raw[key];

  const { value, problems: topLevelProblems } = validateOptions(TieringOptions, topLevel, "");
  problems.push(...topLevelProblems);
  const blockBytes = value instanceof TieringOptions ? value.blockBytes : undefined;
  const secondaryTiers = entries.map((entry, index) =>
    readTier(catalog, entry, joinPath(tiersKey, index), blockBytes, problems),
  );
  if (!(value instanceof TieringOptions)) return undefined;
  if (value.specModulePath === undefined && !catalog.isKnownSpec(value.specName)) {
    problems.push({ path: specKey, message: unknownSpec(value.specName, catalog.specNames()) });
  }
  if (value.specName === POOL_ONLY_SPEC && entries.length > 0) {
    const message = `must be empty with ${POOL_ONLY_SPEC}; tiers need TieringOffloadingSpec`;
    problems.push({ path: tiersKey, message });
  }
  return freezeDeep(toTieringConfig(value, secondaryTiers));
}

function readTier(
  catalog: ConfigCatalog,
  entry: unknown,
  path: string,
  blockBytes: number | undefined,
  problems: ConfigProblem[],
): Record<string, unknown> {
  const found: ConfigProblem[] = [];
  attempt(() => found.push(...checkTier(catalog, entry, path, blockBytes)), path, found);
  // What keeps an entry from being copied is mostly found by the tier's contract; each path is told of once.
  const uncopied: ConfigProblem[] = [];
  const copy = attempt(() => clonePlainData(entry, path, "keep", uncopied), path, uncopied);
  const told = new Set(found.map((problem) => problem.path));
  problems.push(...found, ...uncopied.filter((problem) => !told.has(problem.path)));
  return isPlainObject(copy) ? copy : {};
}

function unknownSpec(name: string, known: readonly string[]): string {
  return `unknown spec ${describeValue(name)}.${didYouMean(name, known)} Known: ${known.join(", ")}. For one of your own, add spec_module_path`;
}

function toTieringConfig(options: TieringOptions, secondaryTiers: readonly Record<string, unknown>[]): TieringConfig {
  const { specModulePath, pendingDeadlineS } = options;
  return {
    specName: options.specName,
    ...(specModulePath !== undefined && { specModulePath }),
    cpuBytesToUse: options.cpuBytesToUse,
    blockBytes: options.blockBytes,
    numBlocks: options.numBlocks,
    evictionPolicy: options.evictionPolicy,
    enableKvCacheEvents: options.enableKvCacheEvents,
    ...(pendingDeadlineS !== undefined && { pendingDeadlineS }),
    model: { ...options.model },
    secondaryTiers,
  };
}
