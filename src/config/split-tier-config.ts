import { Locality } from "../contracts/medium.js";
import type { ConfigContract } from "../contracts/tier-metadata.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { joinPath } from "./config-path.js";
import { declaredOptions } from "./declared-options.js";
import { describeValue, kindOf } from "./describe-value.js";
import { isPlainObject } from "./plain-data.js";
import { takeKeys, type GivenOption } from "./take-keys.js";

/** The keys of every tier, in snake_case; what a misspelt key of a tier may have meant. */
export const COMMON_TIER_KEYS = ["type", "module_path", "locality", "backpressure", "enable_kv_events"] as const;

const COMMON_NAMES = ["type", "modulePath", "locality", "backpressure", "enableKvEvents"] as const;
type CommonName = (typeof COMMON_NAMES)[number];

/** One entry of `secondary_tiers`, taken apart. Absent fields were left out, or are among the problems. */
export interface TierConfigParts {
  readonly type?: string;
  readonly modulePath?: string;
  readonly locality?: Locality;
  /** The block as given, for `splitBackpressure` to take apart. */
  readonly backpressure?: Readonly<Record<string, unknown>>;
  readonly enableKvEvents?: boolean;
  /** Keys that belong to the tier: a null-prototype object with the caller's values. */
  readonly options: Readonly<Record<PropertyKey, unknown>>;
  /** The common keys that are sound, by name, in the caller's spelling; the locality in upper case. */
  readonly common: ReadonlyMap<string, GivenOption>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Takes the common keys, in either spelling, out of a tier's raw config. The caller's object is not changed. `null` for
 * `backpressure` counts as left out, as upstream (vLLM) has it; no other key takes `null`.
 */
export function splitTierConfig(raw: unknown, path: string): TierConfigParts {
  if (!isPlainObject(raw)) {
    const message = `must be an object, and must include 'type'; got ${kindOf(raw)}`;
    return { options: {}, common: new Map(), problems: [{ path, message }] };
  }
  const problems: ConfigProblem[] = [];
  const { given, rest } = takeKeys(raw, COMMON_NAMES, path, problems);
  if (!given.has("type")) {
    problems.push({ path: joinPath(path, "type"), message: "is missing: a tier config must include 'type'" });
  }
  const common = new Map<string, GivenOption>();
  for (const name of COMMON_NAMES) {
    const option = given.get(name);
    if (option === undefined || (name === "backpressure" && option.value === null)) continue;
    const { value, fault } = READERS[name](option.value);
    if (fault === undefined) common.set(name, { key: option.key, value });
    else problems.push({ path: joinPath(path, option.key), message: fault });
  }
  const options: Record<PropertyKey, unknown> = Object.create(null) as Record<PropertyKey, unknown>;
  for (const key of rest) options[key] = raw[key];
  return { ...fieldsOf(common), options, common, problems };
}

/**
 * The raw options to validate against a tier's contract: its own keys, and of the common ones those that the contract
 * asks for (a config class by declaring them, `"passthrough"` by being so).
 */
export function tierOptionsFor(contract: ConfigContract, parts: TierConfigParts): Record<PropertyKey, unknown> {
  const options = Object.assign(Object.create(null) as Record<PropertyKey, unknown>, parts.options);
  if (contract === null) return options;
  const wanted = contract === "passthrough" ? parts.common : declaredOptions(contract);
  for (const [name, { key, value }] of parts.common) if (wanted.has(name)) options[key] = value;
  return options;
}

interface Read {
  readonly value?: unknown;
  readonly fault?: string;
}

const nonEmptyString =
  (rule: string) =>
  (value: unknown): Read =>
    typeof value === "string" && value !== "" ? { value } : { fault: `${rule}; got ${describeValue(value)}` };

const READERS: Record<CommonName, (value: unknown) => Read> = {
  type: nonEmptyString("must be a non-empty string: a tier config must include 'type'"),
  modulePath: nonEmptyString("must be a non-empty string"),
  locality: (value) => {
    const upper = typeof value === "string" ? value.toUpperCase() : undefined;
    const found = Object.values(Locality).find((locality) => locality === upper);
    return found === undefined ? { fault: `must be LOCAL or REMOTE; got ${describeValue(value)}` } : { value: found };
  },
  backpressure: (value) =>
    isPlainObject(value) ? { value } : { fault: `must be an object with backpressure_cls; got ${kindOf(value)}` },
  enableKvEvents: (value) =>
    typeof value === "boolean" ? { value } : { fault: `must be true or false; got ${describeValue(value)}` },
};

/** Each value passed its reader, so it has the type of its field. */
function fieldsOf(common: ReadonlyMap<string, GivenOption>): Partial<TierConfigParts> {
  return Object.fromEntries([...common].map(([name, { value }]) => [name, value]));
}
