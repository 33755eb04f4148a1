import type { OffloadingSpec } from "../contracts/offloading-spec.js";
import { KvTierError } from "../errors/kv-tier-error.js";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isName: Check = (value) => typeof value === "string" && value !== "";
const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) > 0;
const isRank: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;

const SPEC: Readonly<Record<Exclude<keyof OffloadingSpec, "model">, Check>> = {
  specName: isName,
  blockBytes: isCount,
  numBlocks: isCount,
  evictionPolicy: (value) => value === "lru" || value === "arc",
  enableKvEvents: (value) => typeof value === "boolean",
};

/** Each of these is part of the namespace of stored blocks: one that is not there would let unlike blocks be shared. */
const MODEL: Readonly<Record<keyof OffloadingSpec["model"], Check>> = {
  name: isName,
  dtype: isName,
  revision: isText,
  tokensPerBlock: isCount,
  worldSize: isCount,
  rank: isRank,
  layout: isText,
};

/**
 * Checks what a spec class of the application made.
 *
 * @throws KvTierError `INVALID_STATE`, naming every field that is absent or unsound.
 */
export function assertSpec(name: string, value: unknown): OffloadingSpec {
  const faults = [
    ...faultsOf(value, SPEC),
    ...faultsOf(isObject(value) ? Reflect.get(value, "model") : undefined, MODEL).map((key) => `model.${key}`),
  ];
  if (faults.length === 0) return value as OffloadingSpec;
  throw new KvTierError(
    "INVALID_STATE",
    `Spec '${name}' is no OffloadingSpec: absent or unsound are ${faults.join(", ")}.`,
  );
}

function faultsOf(value: unknown, checks: Readonly<Record<string, Check>>): string[] {
  return Object.entries(checks)
    .filter(([key, check]) => !isObject(value) || !check(Reflect.get(value, key)))
    .map(([key]) => key);
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
