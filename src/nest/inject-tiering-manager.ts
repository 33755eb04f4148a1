import { Inject } from "@nestjs/common";
import { TOKENS } from "../tokens.js";
import { DEFAULT_CACHE, tokenOfCache } from "./nest-tokens.js";

/**
 * Nest's token of the `TieringOffloadingManager` behind the cache called `name`: `kv.tiering-manager` for the default one,
 * else `kv.tiering-manager:<name>`.
 */
export function getTieringManagerToken(name: string = DEFAULT_CACHE): string {
  return tokenOfCache(TOKENS.tieringManager, name);
}

/** Injects the `TieringOffloadingManager` behind the cache called `name`; absent: the default one. */
export function InjectTieringManager(name?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getTieringManagerToken(name));
}
