import { configInvalid } from "../config/config-invalid.js";
import type { TieringConfig } from "../config/tiering-config.js";
import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import type { AnyClass } from "../contracts/tier-metadata.js";
import { reasonOf } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { redactText } from "../errors/secrets.js";
import { TOKENS, specToken } from "../tokens.js";
import { assertSpec } from "./assert-spec.js";
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
   * Registers `name` as the export `className` of `modulePath`, and binds its token. Nothing is imported before the
   * spec is first used.
   *
   * @throws KvTierError `INVALID_STATE`, naming both sources, when the name is taken.
   */
  registerSpec(name: string, modulePath: string, className: string): void {
    const source = redactText(`export '${className}' of module '${modulePath}'`);
    const load = async (): Promise<AnyClass> => asClass(source, await this.#loader.loadExport(modulePath, className));
    this.#loadedClasses.bindLazily(specToken(name), this.#registry.register(name, { source, load }));
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
    const what = redactText(`Export '${name}' of module '${modulePath}'`);
    return asClass(what, await this.#loader.loadExport(modulePath, name));
  }

  /**
   * The spec of a parsed config. Its class gets the config by injection of `TOKENS.tieringConfig`.
   *
   * @throws KvTierError what {@link getSpecClass} throws, or `INVALID_STATE` when the spec cannot be made, or is none.
   */
  async createSpec(config: TieringConfig): Promise<OffloadingSpec> {
    const { specName } = config;
    const bound = specToken(specName);
    const target = this.#resolver.isBound(bound) ? undefined : await this.getSpecClass(config);
    const scope = new ResolutionScope(`Spec '${specName}'`, bound).provide(TOKENS.tieringConfig, config);
    let spec: unknown;
    try {
      const token = target === undefined ? bound : this.#loadedClasses.tokenOf(target);
      spec = await scope.run(() => this.#resolver.getAsync(token));
    } catch (cause) {
      if (KvTierError.is(cause)) throw cause;
      throw new KvTierError("INVALID_STATE", `Spec '${specName}' could not be made: ${reasonOf(cause)}`, { cause });
    } finally {
      scope.release();
    }
    return assertSpec(specName, spec);
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
  if (typeof value === "function" && typeof value.prototype === "object") {
    return value as unknown as AnyClass<OffloadingSpec>;
  }
  throw new KvTierError("INVALID_STATE", `${what} is not a class. It must make an OffloadingSpec.`);
}
