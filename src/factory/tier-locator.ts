import { didYouMean } from "../config/suggest-name.js";
import { safeLogger, type Logger } from "../contracts/logger.js";
import { tierMetadataOf, type AnyClass } from "../contracts/tier-metadata.js";
import { moduleUnloaded, tierTypeUnknown } from "../errors/factory-errors.js";
import { redactText } from "../errors/secrets.js";
import { TOKENS, tierToken } from "../tokens.js";
import type { ClassRegistry } from "./class-registry.js";
import type { Located, LocatorDependencies } from "./component-locator.js";
import { assertTierClass, isTierClass } from "./component-shape.js";
import type { LoadedClasses } from "./loaded-classes.js";
import type { ModuleLoader } from "./module-loader.js";
import { warnOutOfTree } from "./out-of-tree-notice.js";
import type { Resolver } from "./resolver.js";

/** Finds the tier that a config names: a registered type, a token bound by hand, or an export of `module_path`. */
export class TierLocator {
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

  /** Registers `type` as an export of a module that is imported at first use, and binds its token. */
  register(type: string, modulePath: string, exportName: string): void {
    const source = redactText(`export '${exportName}' of module '${modulePath}'`);
    const load = (): Promise<AnyClass> => this.#loadTier(source, modulePath, exportName);
    this.#loadedClasses.bindLazily(tierToken(type), this.#registry.register(type, { source, load }));
  }

  types(): string[] {
    return this.#registry.names();
  }

  /**
   * The class that is registered for `type`, or that `modulePath` exports.
   *
   * @throws KvTierError `TIER_TYPE_UNKNOWN`, a `MODULE_…` code, `EXPORT_MISSING` or `NOT_A_TIER`.
   */
  async classOf(type: string, modulePath: string | undefined, where: string): Promise<AnyClass> {
    const registration = this.#registry.get(type);
    if (registration !== undefined) return registration.load();
    if (modulePath === undefined) {
      throw tierTypeUnknown(type, where, this.types(), didYouMean(type, this.types()));
    }
    const what = redactText(`Export '${type}' of module '${modulePath}'`);
    const target = await this.#loadTier(what, modulePath, type);
    const logger = safeLogger(await this.#resolver.getAsync<Logger>(TOKENS.logger));
    warnOutOfTree(logger, type, redactText(modulePath));
    return target;
  }

  /** As {@link classOf}, with the token to resolve. A binding of the token, however made, serves before a module. */
  async locate(type: string, modulePath: string | undefined, where: string): Promise<Located> {
    if (!this.#resolver.isBound(TOKENS.tierFactory)) throw moduleUnloaded();
    const token = tierToken(type);
    const registration = this.#registry.get(type);
    if (registration === undefined && this.#resolver.isBound(token)) {
      return { token: () => token, target: undefined, contract: "passthrough" };
    }
    const target = await this.classOf(type, modulePath, where);
    const metadata = tierMetadataOf(target);
    const contract = metadata === undefined ? "passthrough" : metadata.config;
    if (registration === undefined) return { token: () => this.#loadedClasses.tokenOf(target), target, contract };
    // Again, because restoring a snapshot of the container takes away the bindings that were made since.
    this.#loadedClasses.bindLazily(token, registration);
    return { token: () => token, target, contract };
  }

  async #loadTier(what: string, modulePath: string, exportName: string): Promise<AnyClass> {
    const exported = await this.#loader.loadExport(modulePath, exportName);
    const alternatives = isTierClass(exported) ? [] : await this.#loader.exportsThat(isTierClass, modulePath);
    return assertTierClass(what, exported, alternatives);
  }
}
