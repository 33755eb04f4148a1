/** The name of the cache that is given none. */
export const DEFAULT_CACHE = "default";

/** Under which a module has the options of its cache. */
export const KV_TIER_MODULE_OPTIONS = "kv.module-options";

/** Under which a module has its {@link AppCache}. */
export const APP_CACHE = "kv.app-cache";

/** `token` of the cache called `name`. That of the default cache is the token itself. */
export function tokenOfCache(token: string, name: string): string {
  return name === DEFAULT_CACHE ? token : `${token}:${name}`;
}
