import { KvTierError, type KvTierErrorCode } from "./kv-tier-error.js";
import { reasonOf } from "./factory-errors.js";
import { redactText } from "./secrets.js";

/** A specifier may be a URL with credentials, and what was thrown may quote it. */
const fail = (code: KvTierErrorCode, message: string, cause?: unknown): KvTierError =>
  new KvTierError(code, redactText(message), cause === undefined ? {} : { cause });

export function moduleNotAllowed(specifier: string, base: string, reason: string): KvTierError {
  return fail(
    "MODULE_NOT_ALLOWED",
    `Module '${specifier}' (from ${base}) may not be loaded: ${reason}. Allowed are packages by name and files under ` +
      `${base}; anything else needs an entry in 'allowModules'.`,
  );
}

export function moduleNotFound(specifier: string, base: string, hint: string, cause: unknown): KvTierError {
  return fail(
    "MODULE_NOT_FOUND",
    `Module '${specifier}' was not found from ${base}.${hint} (${reasonOf(cause)})`,
    cause,
  );
}

export function moduleLoadFailed(specifier: string, base: string, cause: unknown): KvTierError {
  return fail(
    "MODULE_LOAD_FAILED",
    `Module '${specifier}' (from ${base}) threw while loading: ${reasonOf(cause)}${typeScriptHint(specifier, cause)}`,
    cause,
  );
}

/** Node reads no TypeScript, or only what it can strip; a module that throws for other reasons was read. */
function typeScriptHint(specifier: string, cause: unknown): string {
  if (!/\.[cm]?tsx?$/.test(specifier) || typeof cause !== "object" || cause === null) return "";
  const isUnread =
    Reflect.get(cause, "name") === "SyntaxError" ||
    ["ERR_UNKNOWN_FILE_EXTENSION", "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX"].includes(String(Reflect.get(cause, "code")));
  return isUnread ? ". Point at the compiled .js instead." : "";
}

export function exportMissing(
  specifier: string,
  base: string,
  exportName: string,
  exports: readonly string[],
): KvTierError {
  const found = exports.length === 0 ? "nothing" : exports.join(", ");
  return fail(
    "EXPORT_MISSING",
    `Module '${specifier}' (from ${base}) has no export '${exportName}'. It exports: ${found}.`,
  );
}
