import {
  ContainerModule,
  type BindToFluentSyntax,
  type ContainerModuleLoadOptions,
  type Newable,
  type ResolutionContext,
} from "inversify";
import { systemClock, type Clock } from "../contracts/clock.js";
import type { KvBlockView } from "../contracts/kv-block-view.js";
import { consoleLogger, type Logger } from "../contracts/logger.js";
import type { ModuleImporter } from "../contracts/module-importer.js";
import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import { moduleLoadedTwice, tieringNotReady } from "../errors/factory-errors.js";
import { detectorToken, policyToken, specToken, tierToken, TOKENS } from "../tokens.js";
import { createFactories, type Factories } from "./create-factories.js";
import { createImporter } from "./module-loader.js";
import { Registries, type ComponentClasses } from "./registries.js";
import { ResolutionScope, SCOPED_TOKENS } from "./resolution-scope.js";
import type { Resolver } from "./resolver.js";
import { SecondaryTierFactory } from "./secondary-tier-factory.js";
import { OffloadingSpecFactory } from "./offloading-spec-factory.js";

export interface ModuleOptions extends ComponentClasses {
  /** Folder that modules named in configs are resolved from; absent: the working folder. */
  readonly resolveFrom?: string;
  /** What configs may load besides packages and files under `resolveFrom`: specifiers as written, or absolute paths. */
  readonly allowModules?: readonly string[];
  /** Absent: warnings and errors on the console, or what the container already binds. */
  readonly logger?: Logger;
  /** Absent: the clock of the process, or what the container already binds. */
  readonly clock?: Clock;
  /** Replaces how modules named in configs are found and imported. */
  readonly importer?: ModuleImporter;
}

export interface TieringModuleOptions extends ModuleOptions {
  readonly primaryKvView: KvBlockView;
  readonly offloadingSpec: OffloadingSpec;
}

/**
 * The container module of one cache: binds the factories, the ports, and every tier, detector, policy and spec class
 * under its string token. Rebind a token to replace what it stands for.
 *
 * The factory is a singleton and, as inversify has it, goes on resolving where it was first asked for: ask the container
 * that holds the module before any child of it, so that what a child rebinds stays the child's.
 *
 * @throws KvTierError when two of the given classes have one name: `TIER_ALREADY_REGISTERED` for tiers, else
 *   `INVALID_STATE`. Loading a second module into a container is `INVALID_STATE`.
 */
export function tieringModule(options: TieringModuleOptions): ContainerModule {
  // Built once here to report a duplicate where it was made, and anew at each load so that containers share nothing.
  new Registries(options);
  return new ContainerModule((load) => {
    if (load.isBound(TOKENS.tierFactory)) throw moduleLoadedTwice();
    bindPorts(load, options);
    bindScopedTokens(load);
    const registries = new Registries(options);
    bindClasses(load, registries);
    bindFactories(load, registries, options.resolveFrom ?? ".");
    bindUnready(load, TOKENS.tieringManager);
    bindUnready(load, TOKENS.kvCache);
  });
}

function bindPorts(load: ContainerModuleLoadOptions, options: TieringModuleOptions): void {
  bindAnew(load, TOKENS.primaryKvView).toConstantValue(options.primaryKvView);
  bindAnew(load, TOKENS.offloadingSpec).toConstantValue(options.offloadingSpec);
  const bindPort = (token: string, given: unknown, fallback: unknown): void => {
    if (given !== undefined || !load.isBound(token)) bindAnew(load, token).toConstantValue(given ?? fallback);
  };
  bindPort(TOKENS.logger, options.logger, consoleLogger);
  bindPort(TOKENS.clock, options.clock, systemClock);
  bindPort(TOKENS.importer, options.importer, createImporter(options.allowModules ?? []));
}

/** A second binding beside one that is there would make the token ambiguous, and fail only where it is resolved. */
function bindAnew({ bind, isBound, unbind }: ContainerModuleLoadOptions, token: string): BindToFluentSyntax<unknown> {
  if (isBound(token)) unbind(token);
  return bind(token);
}

function bindScopedTokens({ bind }: ContainerModuleLoadOptions): void {
  for (const token of SCOPED_TOKENS) bind(token).toDynamicValue(() => ResolutionScope.resolve(token));
}

/** What the container binds already is an override of the application, and keeps serving. */
function bindClasses({ bind, isBound }: ContainerModuleLoadOptions, registries: Registries): void {
  const groups = [
    [registries.tiers, tierToken],
    [registries.detectors, detectorToken],
    [registries.policies, policyToken],
    [registries.specs, specToken],
  ] as const;
  for (const [registry, tokenOf] of groups) {
    for (const { name, loaded } of registry.all()) {
      const token = tokenOf(name);
      if (isBound(token)) continue;
      bind(token)
        .to(loaded as Newable)
        .inTransientScope();
    }
  }
}

/** Both factories share one loader and one set of loaded classes, made when the first of them is asked for. */
function bindFactories(load: ContainerModuleLoadOptions, registries: Registries, resolveFrom: string): void {
  let factories: Factories | undefined;
  const factoriesOf = (context: ResolutionContext): Factories =>
    (factories ??= createFactories(resolverOf(load, context), registries, resolveFrom));
  load
    .bind(TOKENS.tierFactory)
    .toDynamicValue((context) => factoriesOf(context).tierFactory)
    .inSingletonScope();
  load
    .bind(TOKENS.specFactory)
    .toDynamicValue((context) => factoriesOf(context).specFactory)
    .inSingletonScope();
  load.bind(SecondaryTierFactory).toService(TOKENS.tierFactory);
  load.bind(OffloadingSpecFactory).toService(TOKENS.specFactory);
}

function resolverOf({ bind, isBound }: ContainerModuleLoadOptions, context: ResolutionContext): Resolver {
  return {
    getAsync: (token) => context.getAsync(token),
    isBound: (token) => isBound(token),
    bindClass: (token, target) =>
      void bind(token)
        .to(target as Newable)
        .inTransientScope(),
    bindDynamic: (token, create) => void bind(token).toDynamicValue(create).inTransientScope(),
  };
}

/** Until `createTiering` binds the real one: an error that says why there is none, also within a cycle. */
function bindUnready(load: ContainerModuleLoadOptions, token: string): void {
  bindAnew(load, token).toDynamicValue(() => {
    throw tieringNotReady(token, ResolutionScope.current);
  });
}
