import { TOKENS } from "../tokens.js";
import { CLASS_ERROR_CODES, KvTierError, type KvTierErrorCode } from "./kv-tier-error.js";
import { redactText } from "./secrets.js";

const list = (names: readonly string[]): string => (names.length === 0 ? "(none)" : names.join(", "));

export function tierTypeMissing(where: string): KvTierError {
  return new KvTierError(
    "TIER_TYPE_MISSING",
    `${where} must include 'type', the name of the secondary tier, such as { "type": "fs", "root_dir": "./kv" }.`,
  );
}

/** @param hint ` Did you mean fs?`, or nothing */
export function tierTypeUnknown(type: string, where: string, supported: readonly string[], hint = ""): KvTierError {
  return new KvTierError(
    "TIER_TYPE_UNKNOWN",
    `Unknown secondary tier type '${redactText(type)}' in ${where.replace(/^The /, "the ")}.${hint} Supported types: ${list(supported)}. ` +
      "For a tier of your own, register it, or set 'module_path' to the module that exports a class of that name.",
  );
}

export function tierAlreadyRegistered(type: string, existing: string, added: string): KvTierError {
  return new KvTierError(
    "TIER_ALREADY_REGISTERED",
    `Secondary tier type '${type}' is already registered by ${existing}, so ${added} cannot register it too. ` +
      "Choose another name; to replace the implementation, rebind its token instead.",
  );
}

export function componentAlreadyRegistered(kind: string, name: string, existing: string, added: string): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `The ${kind} '${name}' is already registered by ${existing}, so ${added} cannot register it too. ` +
      "Choose another name; to replace the implementation, rebind its token instead.",
  );
}

/** @param hint ` Did you mean DropStorePolicy?`, or nothing */
export function componentUnknown(
  code: "DETECTOR_UNKNOWN" | "POLICY_UNKNOWN",
  kind: string,
  name: string,
  where: string,
  known: readonly string[],
  hint = "",
): KvTierError {
  return new KvTierError(
    code,
    `Unknown backpressure ${kind} '${redactText(name)}' in ${where}.${hint} Known: ${list(known)}. ` +
      "For one of your own, name it as 'module#Export', or give its class to tieringModule.",
  );
}

/** @param alternatives exports of the same module that are what is wanted */
export function notAComponent(
  code: "NOT_A_TIER" | "NOT_A_DETECTOR" | "NOT_A_POLICY",
  what: string,
  base: string,
  missing: readonly string[] | null,
  alternatives: readonly string[] = [],
): KvTierError {
  const reason = missing === null ? "is not a class" : `has no ${missing.join(", ")}`;
  const hint = alternatives.length === 0 ? "" : ` Did you mean ${alternatives.join(" or ")}?`;
  return new KvTierError(code, `${what} ${reason}. It must implement ${base}.${hint}`);
}

const ABOUT_A_CLASS: ReadonlySet<KvTierErrorCode> = new Set(CLASS_ERROR_CODES);

/** An error about a class that a tier's config names, with the tier named before it; any other error as it is. */
export function classErrorOf(owner: string, error: unknown): unknown {
  if (!KvTierError.is(error) || !ABOUT_A_CLASS.has(error.code)) return error;
  return new KvTierError(error.code, `${owner}: ${error.message}`, "cause" in error ? { cause: error.cause } : {});
}

export function backpressureClsMissing(where: string): KvTierError {
  return new KvTierError(
    "BACKPRESSURE_CLS_MISSING",
    `${where} must include 'backpressure_cls', the detector's class, ` +
      'such as { "backpressure_cls": "EMABackpressureDetector" }.',
  );
}

/**
 * A missing package is reported as it is: its error says what to install, and callers look for its code. So are options
 * that turn out not to fit what the tier is given, such as the size of a block.
 */
export function tierInitFailed(where: string, step: string, cause: unknown): KvTierError {
  if (KvTierError.is(cause, "PEER_DEPENDENCY_MISSING")) return cause;
  if (KvTierError.is(cause, "CONFIG_INVALID")) {
    return new KvTierError("CONFIG_INVALID", `${where}: ${cause.message}`, { cause, problems: cause.problems });
  }
  return new KvTierError("TIER_INIT_FAILED", `${where}: ${step} failed: ${reasonOf(cause)}`, { cause });
}

export function shutdownFailed(what: string, errors: readonly unknown[]): KvTierError {
  const reasons = errors.map(reasonOf).join("; ");
  return new KvTierError("SHUTDOWN_FAILED", `${what}: ${errors.length} failed to shut down: ${reasons}`, {
    cause: errors.at(-1),
    errors,
  });
}

export function closed(what: string): KvTierError {
  return new KvTierError("CLOSED", `${what} is closed. Create a new one.`);
}

/** The message of whatever was thrown, without the credentials of URLs in it. */
export function reasonOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return redactText(String(error));
  const message = messageOf(error);
  return typeof message === "string" && message !== "" ? redactText(message) : "no reason was given";
}

/** Whatever may be thrown at all, an object whose getters throw included. */
function messageOf(error: object): unknown {
  try {
    return Reflect.get(error, "message");
  } catch {
    return undefined;
  }
}

/** Bindings that ask for each other recurse until the stack is full, and the engine's or inversify's error names none. */
export const isCycleWithoutPath = (error: unknown): boolean =>
  /Maximum call stack size exceeded|\(No dependency trace\)/.test(reasonOf(error));

export function resolutionCycle(token: string, cause: unknown): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `Resolving '${token}' asks for '${token}' again, directly or through other bindings such as ` +
      `'${TOKENS.tieringManager}' or '${TOKENS.kvCache}', which are made from the tiers. Break the cycle: a tier takes ` +
      "what it needs from its context.",
    { cause },
  );
}

/** @param path tokens of creations, each of which asked for the next */
export function endlessCreation(path: readonly string[]): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `Creations are nested ${path.length} deep, so they must be going in a circle: ${path.slice(0, 4).join(" → ")} → … ` +
      "Break it: something that is injected creates the very tier that it is injected into.",
  );
}

/** @param asker what is being created and asks for `token`: its owner, and its token last in the path */
export function tieringNotReady(
  token: string,
  asker: { readonly owner: string; readonly path: readonly string[] } | undefined,
): KvTierError {
  const why =
    asker === undefined
      ? "It is bound by createTiering, once every tier is made."
      : `It is made from the tiers, and ${asker.owner} is being made, which asks for it: ` +
        `${[...asker.path, token, asker.path.at(-1)].join(" → ")} is a cycle.`;
  return new KvTierError("INVALID_STATE", `'${token}' is not available yet. ${why}`);
}

export function moduleUnloaded(): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    "The tiering module of this factory is no longer loaded into its container. Take the factory of the one that is.",
  );
}

export function moduleLoadedTwice(): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    "This container already holds a tiering module. Load one module per container; several caches use sibling containers.",
  );
}
