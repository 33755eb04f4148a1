import { Scope, type Provider } from "@nestjs/common";
import type { Container } from "inversify";
import { systemClock } from "../contracts/clock.js";
import { createImporter } from "../factory/module-loader.js";
import { ResolutionScope, SCOPED_TOKENS } from "../factory/resolution-scope.js";
import { TOKENS } from "../tokens.js";
import type { KvTierModuleOptions } from "./kv-tier-module-options.js";
import { DEFAULT_CACHE, KV_TIER_MODULE_OPTIONS } from "./nest-tokens.js";
import { nestLogger } from "./nest-logger.js";

/** Stands at a class token that nobody has overridden. Never resolved: then the container's own binding serves. */
export const notOverridden = (): null => null;

/**
 * Clock, logger and importer of a cache under their string tokens, for `overrideProvider` and for injection into what
 * overrides a tier. Absent from the options: what the given container binds, else the usual.
 */
export function portProviders(name: string): Provider[] {
  const port = (token: string, choose: (options: KvTierModuleOptions) => unknown): Provider => ({
    provide: token,
    inject: [KV_TIER_MODULE_OPTIONS],
    useFactory: choose,
  });
  const context = name === DEFAULT_CACHE ? "KvTier" : `KvTier:${name}`;
  return [
    port(TOKENS.clock, ({ clock, container }) => clock ?? boundIn(container, TOKENS.clock) ?? systemClock),
    port(TOKENS.logger, ({ logger, container }) => logger ?? boundIn(container, TOKENS.logger) ?? nestLogger(context)),
    port(
      TOKENS.importer,
      ({ importer, container, allowModules = [] }) =>
        importer ?? boundIn(container, TOKENS.importer) ?? createImporter(allowModules),
    ),
  ];
}

/**
 * A provider for each class token, for `overrideProvider` to replace. All are request-scoped, and a tier that is created
 * is such a request: only so does Nest make what replaces one anew for each tier, and not before there is one.
 */
export function classProviders(tokens: readonly string[]): Provider[] {
  const scope = Scope.REQUEST;
  return [
    ...tokens.map((token) => ({ provide: token, scope, useFactory: notOverridden })),
    ...SCOPED_TOKENS.map((token) => ({ provide: token, scope, useFactory: () => ResolutionScope.resolve(token) })),
  ];
}

function boundIn(container: Container | undefined, token: string): unknown {
  return container?.isBound(token) === true ? container.get(token) : undefined;
}
