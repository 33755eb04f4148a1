import { configInvalid } from "../config/config-invalid.js";
import type { TieringConfig } from "../config/tiering-config.js";
import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { TOKENS, specToken } from "../tokens.js";
import type { ClassRegistry } from "./class-registry.js";
import type { LocatorDependencies } from "./component-locator.js";
import type { LoadedClasses } from "./loaded-classes.js";
import type { ModuleLoader } from "./module-loader.js";
import { ResolutionScope } from "./resolution-scope.js";
import type { Resolver } from "./resolver.js";

/** Which spec a config names: the parsed config, or the two keys as written in JSON. */
export type SpecConfig =
  | Pick<TieringConfig, "specName" | "specModulePath">
  | { readonly spec_name: string; readonly spec_module_path?: string };

/** Makes the offloading spec that a config names: a registered one, or an export of `spec_module_path`. */
export class OffloadingSpecFactory {
  readonly #registry: ClassRegistry;
  readonly #resolver: Resolver;
  readonly #loader: ModuleLoader;
  readonly #loadedClasses: LoadedClasses;

  constructor(deps: LocatorDependencies) {
    this.#registry = deps.registry;
    this.#resolver = deps.resolver;
    this.#loader = deps.loader;
    this.#loadedClasses = deps.loadedClasses;
  }

  /**
   * Registers `name` as the export `className` of `modulePath`. Nothing is imported before it is first used.
   *
   * @throws KvTierError `INVALID_STATE`, naming both sources, when the name is taken.
   */
  registerSpec(name: string, modulePath: string, className: string): void {
    const source = `export '${className}' of module '${modulePath}'`;
    this.#registry.register(name, {
      source,
      load: async () => asClass(source, await this.#load(modulePath, className)),
    });
  }

  /**
   * The class registered under the config's `spec_name`, or the export of that name of its `spec_module_path`.
   *
   * @throws KvTierError `CONFIG_INVALID` for an unknown name, a `MODULE_…` code, `EXPORT_MISSING`, or `INVALID_STATE`
   *   when the export is not a class.
   */
  async getSpecClass(config: SpecConfig): Promise<AnyClass<OffloadingSpec>> {
    const { name, modulePath } = namesOf(config);
    const registration = this.#registry.get(name);
    if (registration !== undefined) return (await registration.load()) as AnyClass<OffloadingSpec>;
    if (modulePath === undefined) throw specUnknown(name, this.#registry.names());
    return asClass(`Export '${name}' of module '${modulePath}'`, await this.#load(modulePath, name));
  }

  /**
   * The spec of a parsed config. Its class gets the config by injection of `TOKENS.tieringConfig`.
   *
   * @throws KvTierError what {@link getSpecClass} throws, or `INVALID_STATE` when the result is no spec.
   */
  async createSpec(config: TieringConfig): Promise<OffloadingSpec> {
    const token = specToken(config.specName);
    const resolved = this.#resolver.isBound(token)
      ? token
      : this.#loadedClasses.tokenOf(await this.getSpecClass(config));
    const scope = new ResolutionScope(`Spec '${config.specName}'`).provide(TOKENS.tieringConfig, config);
    try {
      return asSpec(config.specName, await scope.run(() => this.#resolver.getAsync(resolved)));
    } finally {
      scope.release();
    }
  }

  #load(modulePath: string, exportName: string): Promise<unknown> {
    return this.#loader.loadExport(modulePath, exportName);
  }
}

function namesOf(config: SpecConfig): { name: string; modulePath: string | undefined } {
  return "specName" in config
    ? { name: config.specName, modulePath: config.specModulePath }
    : { name: config.spec_name, modulePath: config.spec_module_path };
}

function specUnknown(name: string, known: readonly string[]): KvTierError {
  const message = `unknown spec '${name}'. Known: ${known.join(", ")}. For one of your own, set spec_module_path`;
  return configInvalid([{ path: "spec_name", message }]);
}

function asClass(what: string, value: unknown): AnyClass<OffloadingSpec> {
  if (typeof value === "function") return value as unknown as AnyClass<OffloadingSpec>;
  throw new KvTierError("INVALID_STATE", `${what} is not a class. It must make an OffloadingSpec.`);
}

function asSpec(name: string, value: unknown): OffloadingSpec {
  const needed = ["model", "blockBytes", "numBlocks", "evictionPolicy", "enableKvEvents"] as const;
  const missing = needed.filter((key) => !isObject(value) || Reflect.get(value, key) === undefined);
  if (missing.length > 0) {
    throw new KvTierError("INVALID_STATE", `Spec '${name}' is no OffloadingSpec: it has no ${missing.join(", ")}.`);
  }
  return value as OffloadingSpec;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
