import { Inject } from "@nestjs/common";
import { TOKENS } from "../tokens.js";
import { DEFAULT_CACHE, tokenOfCache } from "./nest-tokens.js";

/** Nest's token of the `KvCache` called `name`: `kv.cache` for the default one, else `kv.cache:<name>`. */
export function getKvCacheToken(name: string = DEFAULT_CACHE): string {
  return tokenOfCache(TOKENS.kvCache, name);
}

/** Injects the `KvCache` called `name`; absent: the default one. */
export function InjectKvCache(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getKvCacheToken(name));
}
