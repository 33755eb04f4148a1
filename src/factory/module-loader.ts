import path from "node:path";
import type { ModuleImporter } from "../contracts/module-importer.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { exportMissing, moduleLoadFailed, moduleNotFound } from "../errors/module-errors.js";
import { resolveWithinBounds } from "./module-bounds.js";

/** The default importer: packages and files within bounds, resolved from the application rather than from kvtier. */
export function createImporter(allowModules: readonly string[]): ModuleImporter {
  return async (specifier, resolveFrom): Promise<unknown> =>
    import(await resolveWithinBounds(specifier, { resolveFrom, allowModules }));
}

/** Loads the exports that configs name, with errors that tell the ways apart in which that fails. */
export class ModuleLoader {
  readonly #resolveFrom: string;
  readonly #importer: () => Promise<ModuleImporter>;

  /**
   * @param resolveFrom folder that relative paths and packages are resolved from
   * @param importer asked for at each load, so that a rebound importer is honoured
   */
  constructor(resolveFrom: string, importer: () => Promise<ModuleImporter>) {
    this.#resolveFrom = path.resolve(resolveFrom);
    this.#importer = importer;
  }

  /**
   * The export `exportName` of module `specifier`.
   *
   * @throws KvTierError `MODULE_NOT_ALLOWED`, `MODULE_NOT_FOUND`, `MODULE_LOAD_FAILED` or `EXPORT_MISSING`.
   */
  async loadExport(specifier: string, exportName: string): Promise<unknown> {
    const module = await this.#import(specifier);
    for (const holder of [module, defaultOf(module)]) {
      if (isObject(holder) && Object.hasOwn(holder, exportName)) return Reflect.get(holder, exportName);
    }
    throw exportMissing(specifier, this.#resolveFrom, exportName, isObject(module) ? Object.keys(module) : []);
  }

  /** Names of the exports of module `specifier` that `matches`; throws as {@link loadExport} does. */
  async exportsThat(matches: (exported: unknown) => boolean, specifier: string): Promise<string[]> {
    const module = await this.#import(specifier);
    if (!isObject(module)) return [];
    return Object.keys(module).filter((name) => matches(Reflect.get(module, name)));
  }

  async #import(specifier: string): Promise<unknown> {
    const importer = await this.#importer();
    try {
      return await importer(specifier, this.#resolveFrom);
    } catch (error) {
      if (KvTierError.is(error, "MODULE_NOT_ALLOWED") || KvTierError.is(error, "MODULE_NOT_FOUND")) throw error;
      if (saysNotFound(error, specifier)) throw moduleNotFound(specifier, this.#resolveFrom, "", error);
      throw moduleLoadFailed(specifier, this.#resolveFrom, error);
    }
  }
}

const NOT_FOUND_CODES: readonly unknown[] = ["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"];

/** Whether Node, asked by an importer of the application, did not find the module itself, rather than one it imports. */
function saysNotFound(error: unknown, specifier: string): boolean {
  if (!isObject(error) || !NOT_FOUND_CODES.includes(Reflect.get(error, "code"))) return false;
  return String(Reflect.get(error, "message")).includes(`'${specifier}'`);
}

/** What a CommonJS module exports without naming it stands on its default export. */
function defaultOf(module: unknown): unknown {
  return isObject(module) && Object.hasOwn(module, "default") ? Reflect.get(module, "default") : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
