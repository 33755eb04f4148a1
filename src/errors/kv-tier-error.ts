/** Codes of errors about a class that a config names. */
export const CLASS_ERROR_CODES = [
  "MODULE_NOT_ALLOWED",
  "MODULE_NOT_FOUND",
  "MODULE_LOAD_FAILED",
  "EXPORT_MISSING",
  "NOT_A_TIER",
  "NOT_A_DETECTOR",
  "NOT_A_POLICY",
] as const;

/** Stable codes of {@link KvTierError}. Code may branch on them; messages are for people and may change. */
export const ERROR_CODES = [
  "TIER_TYPE_MISSING",
  "TIER_TYPE_UNKNOWN",
  "TIER_ALREADY_REGISTERED",
  ...CLASS_ERROR_CODES,
  "BACKPRESSURE_CLS_MISSING",
  "DETECTOR_UNKNOWN",
  "POLICY_UNKNOWN",
  "CONFIG_INVALID",
  "TIER_INIT_FAILED",
  "SHUTDOWN_FAILED",
  "PEER_DEPENDENCY_MISSING",
  "ADDRESS_INVALID",
  "CLOSED",
  "INVALID_STATE",
] as const;

export type KvTierErrorCode = (typeof ERROR_CODES)[number];

/** One fault of a config: where, as a path in the caller's spelling (`secondary_tiers[0].root_dir`), and what. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

export interface KvTierErrorDetails {
  readonly cause?: unknown;
  /** Every fault found, with `CONFIG_INVALID`. */
  readonly problems?: readonly ConfigProblem[];
  /** Everything that failed, with `SHUTDOWN_FAILED`. */
  readonly errors?: readonly unknown[];
}

const BRAND = Symbol.for("kvtier/error");
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** The one error class of kvtier: a stable {@link code}, and a message that says what failed, for whom and what to do. */
export class KvTierError extends Error {
  override readonly name = "KvTierError";
  readonly code: KvTierErrorCode;
  // Private, so that a printed error does not say again what its message says, or list what it has none of.
  readonly #problems: readonly ConfigProblem[];
  readonly #errors: readonly unknown[];

  constructor(code: KvTierErrorCode, message: string, details: KvTierErrorDetails = {}) {
    super(message, "cause" in details ? { cause: details.cause } : undefined);
    this.code = code;
    this.#problems = details.problems ?? [];
    this.#errors = details.errors ?? [];
  }

  /** Every fault found, for `CONFIG_INVALID`; empty otherwise. */
  get problems(): readonly ConfigProblem[] {
    return this.#problems;
  }

  /** Everything that failed, for `SHUTDOWN_FAILED`; empty otherwise. */
  get errors(): readonly unknown[] {
    return this.#errors;
  }

  /** Marks the class; only that it is there matters. */
  [BRAND](): void {}

  /** What `console.log` prints: Node looks for `errors` on every error, and shows an empty list too. */
  [INSPECT](): object {
    const own = Object.getOwnPropertyDescriptors(this);
    const errors = { value: this.#errors.length === 0 ? undefined : this.#errors };
    const shown: object = Object.defineProperties(new Error(), { ...own, errors, [INSPECT]: { value: undefined } });
    return Object.setPrototypeOf(shown, Object.getPrototypeOf(this) as object) as object;
  }

  /** Whether `error` is a kvtier error, of `code` if one is given. Works across duplicate installs of the package. */
  static is(error: unknown, code?: KvTierErrorCode): error is KvTierError {
    if (typeof error !== "object" || error === null || !(BRAND in error)) return false;
    return code === undefined || (error as KvTierError).code === code;
  }
}
