import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { joinPath } from "./config-path.js";
import { describeValue, kindOf } from "./describe-value.js";
import { isPlainObject } from "./plain-data.js";
import { takeKeys } from "./take-keys.js";

const NAMES = ["backpressureCls", "policyCls", "policy"] as const;

/** The keys of every backpressure block, in snake_case; what a misspelt option of a detector may have meant. */
export const BACKPRESSURE_KEYS = ["backpressure_cls", "policy_cls", "policy"] as const;

const LEFT_OUT = { detectorKey: "backpressure_cls", policyKey: "policy_cls" };

/** A backpressure block, taken apart. An absent name was left out, or is among the problems. */
export interface BackpressureParts {
  readonly detectorName?: string;
  /** Absent: the default policy. */
  readonly policyName?: string;
  /** The keys of the two names in the caller's spelling. */
  readonly detectorKey: string;
  readonly policyKey: string;
  /** Options of the policy, as given; empty when left out. */
  readonly policyOptions: Readonly<Record<PropertyKey, unknown>>;
  /** All other keys: options of the detector, as given. */
  readonly detectorOptions: Readonly<Record<PropertyKey, unknown>>;
  readonly problems: readonly ConfigProblem[];
}

/** Takes the keys of the block itself, in either spelling, out of `raw`, which is not changed. */
export function splitBackpressure(raw: unknown, path: string): BackpressureParts {
  if (!isPlainObject(raw)) {
    const message = `must be an object with backpressure_cls; got ${kindOf(raw)}`;
    return { ...LEFT_OUT, policyOptions: {}, detectorOptions: {}, problems: [{ path, message }] };
  }
  const problems: ConfigProblem[] = [];
  const { given, rest } = takeKeys(raw, NAMES, path, problems);
  const className = (name: "backpressureCls" | "policyCls", example: string): string | undefined => {
    const option = given.get(name);
    if (option === undefined) return undefined;
    if (typeof option.value === "string" && option.value !== "") return option.value;
    const message = `must name a class, such as "${example}"; got ${describeValue(option.value)}`;
    problems.push({ path: joinPath(path, option.key), message });
    return undefined;
  };

  const detectorName = className("backpressureCls", "EMABackpressureDetector");
  const policyName = given.get("policyCls")?.value === null ? undefined : className("policyCls", "ThrottledDropPolicy");
  if (!given.has("backpressureCls")) {
    const message = 'is missing; it names the detector, such as "EMABackpressureDetector"';
    problems.push({ path: joinPath(path, "backpressure_cls"), message });
  }
  const policy = given.get("policy");
  if (policy !== undefined && !isPlainObject(policy.value)) {
    problems.push({ path: joinPath(path, policy.key), message: `must be an object; got ${kindOf(policy.value)}` });
  }
  const detectorOptions: Record<PropertyKey, unknown> = Object.create(null) as Record<PropertyKey, unknown>;
  for (const key of rest) detectorOptions[key] = raw[key];
  return {
    ...(detectorName !== undefined && { detectorName }),
    ...(policyName !== undefined && { policyName }),
    detectorKey: given.get("backpressureCls")?.key ?? LEFT_OUT.detectorKey,
    policyKey: given.get("policyCls")?.key ?? LEFT_OUT.policyKey,
    policyOptions: isPlainObject(policy?.value) ? policy.value : {},
    detectorOptions,
    problems,
  };
}
