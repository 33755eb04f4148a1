import path from "node:path";
import { parseComponentName } from "../config/component-name.js";
import { joinPath } from "../config/config-path.js";
import { splitBackpressure } from "../config/split-backpressure.js";
import { splitTierConfig } from "../config/split-tier-config.js";
import type { TieringConfig } from "../config/tiering-config.js";
import { reasonOf } from "../errors/factory-errors.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { resolveWithinBounds, type ModuleBounds } from "./module-bounds.js";
import { Registries } from "./registries.js";
import type { ModuleOptions } from "./tiering-module.js";

/** What of a config is imported only when it is created. */
export interface CheckedModules {
  /** Specifiers, each once, in the order of the config. */
  readonly modules: readonly string[];
  /** Those that are not there, or may not be loaded. */
  readonly problems: readonly ConfigProblem[];
}

interface NamedModule {
  readonly path: string;
  readonly specifier: string;
}

/** Finds the files of all modules that `config` names, within bounds, without running any. */
export async function checkModules(config: TieringConfig, options: ModuleOptions = {}): Promise<CheckedModules> {
  const bounds = { resolveFrom: path.resolve(options.resolveFrom ?? "."), allowModules: options.allowModules ?? [] };
  const named = modulesOf(config, new Registries(options));
  return {
    modules: [...new Set(named.map(({ specifier }) => specifier))],
    problems: (await Promise.all(named.map((module) => problemsOf(module, bounds)))).flat(),
  };
}

async function problemsOf({ path, specifier }: NamedModule, bounds: ModuleBounds): Promise<ConfigProblem[]> {
  try {
    await resolveWithinBounds(specifier, bounds);
    return [];
  } catch (error) {
    return [{ path, message: reasonOf(error) }];
  }
}

/** A name that is registered needs no module, whatever `module_path` says. */
function modulesOf({ specName, specModulePath, secondaryTiers }: TieringConfig, registries: Registries): NamedModule[] {
  const isOwnSpec = specModulePath !== undefined && registries.specs.get(specName) === undefined;
  return [
    ...(isOwnSpec ? [{ path: "spec_module_path", specifier: specModulePath }] : []),
    ...secondaryTiers.flatMap((tier, index) => tierModules(tier, joinPath("secondary_tiers", index), registries)),
  ];
}

function tierModules(tier: unknown, path: string, { tiers, detectors, policies }: Registries): NamedModule[] {
  const { type = "", modulePath, backpressure, common } = splitTierConfig(tier, path);
  const found: NamedModule[] = [];
  if (modulePath !== undefined && tiers.get(type) === undefined) {
    found.push({ path: joinPath(path, common.get("modulePath")?.key ?? "module_path"), specifier: modulePath });
  }
  if (backpressure === undefined) return found;
  const blockPath = joinPath(path, "backpressure");
  const parts = splitBackpressure(backpressure, blockPath);
  const components = [
    [parts.detectorName, parts.detectorKey, detectors],
    [parts.policyName, parts.policyKey, policies],
  ] as const;
  for (const [name, key, registry] of components) {
    const ref = name === undefined ? undefined : parseComponentName(name, (known) => registry.get(known) !== undefined);
    if (ref?.kind === "export") found.push({ path: joinPath(blockPath, key), specifier: ref.specifier });
  }
  return found;
}
