import type { EvictionPolicyName } from "../contracts/offloading-spec.js";
import type { Locality } from "../contracts/medium.js";

/** Bytes, or a size with its unit such as `"256MiB"`. */
type ByteSizeInput = number | string;

/** `n_read_threads` → `nReadThreads`. */
type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

/** A required option, in either spelling. */
type Either<Key extends string, Value> = OneOf<Key, CamelCase<Key>, Value> | OneOf<CamelCase<Key>, Key, Value>;

type OneOf<Given extends string, Other extends string, Value> = Readonly<
  Record<Given, Value> & Partial<Record<Exclude<Other, Given>, undefined>>
>;

/** Optional options, each in either spelling. */
type Options<Values> = {
  readonly [Key in keyof Values as Key | (Key extends string ? CamelCase<Key> : never)]?: Values[Key] | undefined;
};

/** The block `model`; see `ModelSpec`. */
export type ModelInput = Either<"tokens_per_block", number> &
  Options<{ revision: string; layout: string; world_size: number; rank: number }> & {
    readonly name: string;
    readonly dtype: string;
  };

/** The block `backpressure` of a tier. All other keys are options of the detector. */
export type BackpressureInput = Either<"backpressure_cls", string> &
  Options<{ policy_cls: string | null; policy: Readonly<Record<string, unknown>> }> &
  Readonly<Record<string, unknown>>;

/** One entry of `secondary_tiers`. All other keys are options of the tier. */
export type SecondaryTierInput = Options<{
  module_path: string;
  locality: Locality | Lowercase<Locality>;
  backpressure: BackpressureInput | null;
  enable_kv_events: boolean;
}> & {
  readonly type: string;
  readonly [option: string]: unknown;
};

/**
 * A config as it is written, in snake_case or camelCase, for the compiler to check literals by. What only the values
 * tell, such as a size that is none, is found when it is read.
 */
export type TieringConfigInput = Either<"cpu_bytes_to_use", ByteSizeInput> &
  Either<"block_bytes", ByteSizeInput> &
  Options<{
    spec_name: string;
    spec_module_path: string;
    eviction_policy: EvictionPolicyName;
    enable_kv_cache_events: boolean;
    pending_deadline_s: number;
    secondary_tiers: readonly SecondaryTierInput[];
  }> & { readonly model: ModelInput };

/**
 * `Config` when the compiler knows nothing of its keys, as of parsed JSON; else `never`, so that whatever it does know
 * has to be a {@link TieringConfigInput}.
 */
export type UntypedConfig<Config> = object extends Config ? Config : string extends keyof Config ? Config : never;
