import type { Logger } from "../contracts/logger.js";
import { tierMetadataOf, type AnyClass } from "../contracts/tier-metadata.js";
import { tierTypeUnknown } from "../errors/factory-errors.js";
import { TOKENS, tierToken } from "../tokens.js";
import type { ClassRegistry } from "./class-registry.js";
import type { Located, LocatorDependencies } from "./component-locator.js";
import { assertClass, TIER_SHAPE } from "./component-shape.js";
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
    const source = `export '${exportName}' of module '${modulePath}'`;
    const registration = this.#registry.register(type, {
      source,
      load: async () => assertClass(TIER_SHAPE, source, await this.#loader.loadExport(modulePath, exportName)),
    });
    // A token that was bound before it was registered is an override, and keeps serving.
    if (this.#resolver.isBound(tierToken(type))) return;
    this.#resolver.bindDynamic(tierToken(type), async () => {
      return this.#resolver.getAsync(this.#loadedClasses.tokenOf(await registration.load()));
    });
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
    if (modulePath === undefined) throw tierTypeUnknown(type, where, this.types());
    const target = assertClass(
      TIER_SHAPE,
      `Export '${type}' of module '${modulePath}'`,
      await this.#loader.loadExport(modulePath, type),
    );
    warnOutOfTree(this.#resolver.get<Logger>(TOKENS.logger), type, modulePath);
    return target;
  }

  /** As {@link classOf}, with the token to resolve. A binding of the token, however made, serves before a module. */
  async locate(type: string, modulePath: string | undefined, where: string): Promise<Located> {
    const token = tierToken(type);
    const isRegistered = this.#registry.get(type) !== undefined;
    if (!isRegistered && this.#resolver.isBound(token)) return { token, target: undefined, contract: "passthrough" };
    const target = await this.classOf(type, modulePath, where);
    const metadata = tierMetadataOf(target);
    return {
      token: isRegistered ? token : this.#loadedClasses.tokenOf(target),
      target,
      contract: metadata === undefined ? "passthrough" : metadata.config,
    };
  }
}
