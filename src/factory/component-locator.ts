import { parseComponentName } from "../config/component-name.js";
import { didYouMean } from "../config/suggest-name.js";
import type { AnyClass, ComponentMetadata, ConfigContract } from "../contracts/tier-metadata.js";
import { componentUnknown } from "../errors/factory-errors.js";
import { redactText } from "../errors/secrets.js";
import type { ClassRegistry } from "./class-registry.js";
import { assertClass, type Shape } from "./component-shape.js";
import type { LoadedClasses } from "./loaded-classes.js";
import type { ModuleLoader } from "./module-loader.js";
import type { Resolver } from "./resolver.js";

/** A component ready to be built: the token that resolves to it, and how its options are read. */
export interface Located {
  /** Binds the class at first use, if a module delivered it; throws the container's error if that cannot build it. */
  readonly token: () => string;
  readonly contract: ConfigContract;
  /** Absent for a token that was bound by hand. */
  readonly target: AnyClass | undefined;
}

/** What tells detectors and policies apart. */
export interface ComponentKind {
  readonly label: "detector" | "policy";
  readonly unknownCode: "DETECTOR_UNKNOWN" | "POLICY_UNKNOWN";
  readonly shape: Shape;
  readonly token: (name: string) => string;
  readonly metadataOf: (target: object) => ComponentMetadata | undefined;
}

export interface LocatorDependencies {
  readonly registry: ClassRegistry;
  readonly resolver: Resolver;
  readonly loader: ModuleLoader;
  readonly loadedClasses: LoadedClasses;
}

/** Finds a detector or policy by the name in a config: a bound token, `module#Export`, or `module.Export`. */
export class ComponentLocator {
  readonly #kind: ComponentKind;
  readonly #deps: LocatorDependencies;

  constructor(kind: ComponentKind, deps: LocatorDependencies) {
    this.#kind = kind;
    this.#deps = deps;
  }

  /**
   * @param where the config block that names it, for error messages
   * @throws KvTierError `DETECTOR_UNKNOWN` or `POLICY_UNKNOWN`, a `MODULE_…` code, `EXPORT_MISSING`, or
   *   `NOT_A_DETECTOR` or `NOT_A_POLICY`.
   */
  async locate(name: string, where: string): Promise<Located> {
    const { label, unknownCode, token } = this.#kind;
    const ref = parseComponentName(name, (candidate) => this.#deps.resolver.isBound(token(candidate)));
    if (ref.kind === "export") return this.#load(ref.specifier, ref.exportName);
    const bound = this.#locateBound(ref.name);
    if (bound !== undefined) return bound;
    const known = this.#deps.registry.names();
    throw componentUnknown(unknownCode, label, name, where, known, didYouMean(name, known));
  }

  #locateBound(name: string): Located | undefined {
    const token = this.#kind.token(name);
    if (!this.#deps.resolver.isBound(token)) return undefined;
    const target = this.#deps.registry.get(name)?.loaded;
    return { token: () => token, target, contract: this.#contractOf(target) };
  }

  async #load(module: string, exportName: string): Promise<Located> {
    const exported = await this.#deps.loader.loadExport(module, exportName);
    const what = redactText(`Export '${exportName}' of module '${module}'`);
    const target = assertClass(this.#kind.shape, what, exported);
    return { token: () => this.#deps.loadedClasses.tokenOf(target), target, contract: this.#contractOf(target) };
  }

  /** A class without the decorator, or a token bound by hand, declares no options: it gets them as they are. */
  #contractOf(target: AnyClass | undefined): ConfigContract {
    const metadata = target && this.#kind.metadataOf(target);
    return metadata === undefined ? "passthrough" : metadata.config;
  }
}
