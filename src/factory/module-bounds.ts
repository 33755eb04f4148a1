import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { moduleNotAllowed, moduleNotFound } from "../errors/module-errors.js";

/** What a config may load. */
export interface ModuleBounds {
  /** Absolute folder that relative paths and packages are resolved from. */
  readonly resolveFrom: string;
  /** Exceptions: specifiers as written, or absolute paths. */
  readonly allowModules: readonly string[];
}

const SCHEME = /^[a-z][a-z0-9+.-]+:/i;
/** A package, perhaps with a subpath, that cannot climb out of its own folder, also not percent-encoded. */
const PACKAGE = /^(?:@[\w.-]+\/)?[\w-][\w.-]*(?:\/[\w@+~-][\w.@+~-]*)*$/;

/**
 * The `file:` URL of the module that a config names, if it is within bounds: a package by name, or a file under
 * `resolveFrom`, symbolic links followed. Naming a module in a config is running its code, hence the bounds.
 *
 * @throws KvTierError `MODULE_NOT_ALLOWED` out of bounds, `MODULE_NOT_FOUND` when there is no such package or file.
 */
export async function resolveWithinBounds(specifier: string, bounds: ModuleBounds): Promise<string> {
  const file = fileOf(specifier, bounds);
  const found = file === undefined ? await packageFile(specifier, bounds) : realFile(specifier, file, bounds);
  return pathToFileURL(found).href;
}

/** The absolute path a specifier means, or `undefined` when it names a package. */
function fileOf(specifier: string, { resolveFrom }: ModuleBounds): string | undefined {
  if (path.isAbsolute(specifier)) return path.normalize(specifier);
  if (/^\.{1,2}(?:[/\\]|$)/.test(specifier)) return path.resolve(resolveFrom, specifier);
  if (!SCHEME.test(specifier)) return undefined;
  if (!/^file:/i.test(specifier)) {
    throw moduleNotAllowed(specifier, resolveFrom, "only the scheme 'file:' is accepted");
  }
  try {
    return fileURLToPath(specifier);
  } catch {
    throw moduleNotAllowed(specifier, resolveFrom, "it is no local file URL");
  }
}

/** Bounds are checked before the disk is asked, so that nothing is told about files outside, and after links are followed. */
function realFile(specifier: string, file: string, bounds: ModuleBounds): string {
  const { resolveFrom, allowModules } = bounds;
  const isException = allowModules.includes(specifier) || allowModules.includes(file);
  const folders = [resolveFrom, realFolder(specifier, resolveFrom)];
  const assertUnder = (candidate: string): void => {
    if (isException || folders.some((folder) => isUnder(candidate, folder))) return;
    throw moduleNotAllowed(specifier, resolveFrom, `it is the file ${candidate}, outside that folder`);
  };
  assertUnder(file);
  const real = existingFile(specifier, file, resolveFrom);
  if (!allowModules.includes(real)) assertUnder(real);
  return real;
}

/** Packages may lie anywhere: above `resolveFrom`, or behind the links that package managers make. */
async function packageFile(specifier: string, { resolveFrom, allowModules }: ModuleBounds): Promise<string> {
  if (!allowModules.includes(specifier) && !PACKAGE.test(specifier)) {
    throw moduleNotAllowed(specifier, resolveFrom, "it is no plain package name");
  }
  // Few configs name a package, so what finds one is loaded only then.
  const { resolve } = await import("import-meta-resolve");
  let url: string;
  try {
    url = resolve(specifier, pathToFileURL(path.join(resolveFrom, path.sep)).href);
  } catch (cause) {
    throw moduleNotFound(specifier, resolveFrom, packageHint(specifier, resolveFrom), cause);
  }
  // A built-in module of Node resolves too, to a `node:` URL.
  if (!url.startsWith("file:")) throw moduleNotAllowed(specifier, resolveFrom, `it resolves to '${url}', no package`);
  return existingFile(specifier, fileURLToPath(url), resolveFrom);
}

function existingFile(specifier: string, file: string, resolveFrom: string): string {
  try {
    const real = realpathSync(file);
    if (!statSync(real).isFile()) throw new Error(`${real} is not a file`);
    return real;
  } catch (cause) {
    throw moduleNotFound(specifier, resolveFrom, extensionHint(specifier, file), cause);
  }
}

function realFolder(specifier: string, resolveFrom: string): string {
  try {
    return realpathSync(resolveFrom);
  } catch (cause) {
    throw moduleNotFound(specifier, resolveFrom, " That folder is not there.", cause);
  }
}

/** A path without `./` reads as the name of a package. */
function packageHint(specifier: string, resolveFrom: string): string {
  const isFile = statSync(path.join(resolveFrom, specifier), { throwIfNoEntry: false })?.isFile();
  return isFile ? ` Did you mean './${specifier}'?` : " Install the package there, or check its name.";
}

/** ES modules are named with their extension; people used to CommonJS leave it out. */
function extensionHint(specifier: string, file: string): string {
  for (const ending of [".js", ".mjs", ".cjs", "/index.js"]) {
    if (statSync(file + ending, { throwIfNoEntry: false })?.isFile()) return ` Did you mean '${specifier}${ending}'?`;
  }
  return "";
}

function isUnder(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== "" && !relative.startsWith(`..${path.sep}`) && relative !== ".." && !path.isAbsolute(relative);
}
