import type { InjectionToken } from "@nestjs/common";
import type { DiscoveryService } from "@nestjs/core";
import { KvTierError } from "../errors/kv-tier-error.js";

/** What Nest knows of one provider. */
export type ProviderWrapper = ReturnType<DiscoveryService["getProviders"]>[number];

type NestModule = NonNullable<ProviderWrapper["host"]>;

/** Where Nest's decorators and the compiler leave what a class wants injected. */
const PARAMETER_TYPES = "design:paramtypes";
const INJECTED_PARAMETERS = "self:paramtypes";
const INJECTED_PROPERTIES = "self:properties_metadata";

/**
 * What overrides a tier must not depend on the cache, which is made from the tiers: Nest would wait for the one to make
 * the other, for ever, and say nothing.
 *
 * @throws KvTierError `INVALID_STATE` naming everything on the way
 */
export function assertAcyclic(wrapper: ProviderWrapper, cacheToken: string): void {
  const path = pathTo(cacheToken, wrapper, new Set());
  if (path === null) return;
  const names = [...path, wrapper].map(({ token }) => (typeof token === "function" ? token.name : String(token)));
  throw new KvTierError(
    "INVALID_STATE",
    `${names.join(" → ")} is a cycle: the cache is made from its tiers, so what overrides one cannot have the cache injected.`,
  );
}

function pathTo(token: string, from: ProviderWrapper, seen: Set<ProviderWrapper>): ProviderWrapper[] | null {
  if (from.token === token) return [from];
  if (seen.has(from)) return null;
  seen.add(from);
  for (const wanted of dependenciesOf(from)) {
    const provider = from.host && providerOf(wanted, from.host);
    const rest = provider && pathTo(token, provider, seen);
    if (rest) return [from, ...rest];
  }
  return null;
}

function dependenciesOf({ inject, metatype }: ProviderWrapper): InjectionToken[] {
  if (inject != null) return inject.map((item) => tokenOf(item));
  if (metatype === null) return [];
  const parameters = [...metadataOf<unknown>(PARAMETER_TYPES, metatype)];
  for (const { index, param } of metadataOf<{ index: number; param: unknown }>(INJECTED_PARAMETERS, metatype)) {
    parameters[index] = param;
  }
  const properties = metadataOf<{ type: unknown }>(INJECTED_PROPERTIES, metatype).map(({ type }) => type);
  return [...parameters, ...properties].map(tokenOf);
}

/** The provider that Nest takes for `token`: the module's own, else that of a module it imports which exports it. */
function providerOf(token: InjectionToken, host: NestModule): ProviderWrapper | undefined {
  const own = host.providers.get(token);
  if (own !== undefined) return own;
  const seen = new Set<NestModule>();
  for (const queue = [...host.imports]; queue.length > 0;) {
    const module = queue.shift();
    if (module === undefined || seen.has(module)) continue;
    seen.add(module);
    if (!module.exports.has(token)) queue.push(...module.imports);
    else if (module.providers.has(token)) return module.providers.get(token);
    else queue.push(...module.imports);
  }
  return undefined;
}

/** Of a token as it stands, of `forwardRef(() => token)`, or of `{ token, optional }`. */
function tokenOf(item: unknown): InjectionToken {
  if (typeof item !== "object" || item === null) return item as InjectionToken;
  if ("forwardRef" in item) return (item.forwardRef as () => InjectionToken)();
  return "token" in item ? (item.token as InjectionToken) : (item as InjectionToken);
}

function metadataOf<T>(key: string, target: object): readonly T[] {
  return (Reflect.getMetadata(key, target) as readonly T[] | undefined) ?? [];
}
