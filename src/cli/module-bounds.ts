import type { ModuleOptions } from "../factory/tiering-module.js";

/** Options of every command that may import modules which the config names. */
export interface ModuleBounds {
  /** Folder that they are resolved from; left out: the working folder. */
  readonly resolveFrom?: string;
  /** What may be loaded besides packages and files under that folder. */
  readonly allowModule?: readonly string[];
}

export function moduleBoundsOf({ resolveFrom, allowModule }: ModuleBounds): ModuleOptions {
  return {
    ...(resolveFrom !== undefined && { resolveFrom }),
    ...(allowModule !== undefined && { allowModules: allowModule }),
  };
}
