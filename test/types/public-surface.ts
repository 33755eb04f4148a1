/**
 * Checked by the compiler alone (`tsc --noEmit`): what the public surface accepts, and what it refuses.
 */
import type { Container } from "inversify";
import {
  BlockStoreTier,
  createTiering,
  Detector,
  hashBlocks,
  KvTierError,
  LogTier,
  makeOffloadKey,
  offloadKeyHash,
  parseTieringConfig,
  SecondaryTier,
  SecondaryTierManager,
  TierFilter,
  tieringModule,
  type Clock,
  type ConfigProblem,
  type JobResult,
  type KvCache,
  type KvTierErrorCode,
  type Lease,
  type LookupResult,
  type Medium,
  type ModuleImporter,
  type OffloadingEvent,
  type OffloadingSpec,
  type OffloadKey,
  type RequestContext,
  type SecondaryTierFactory,
  type StoreTicket,
  type TierContext,
  type Tiering,
  type TieringConfig,
  type TieringConfigInput,
  type TieringOffloadingManager,
  type TransferJob,
} from "kvtier";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles only for types that are the same. */
const same = <A, B>(_proof: Equal<A, B>): void => undefined;

// A key is a string, but not every string is a key.
const key: OffloadKey = makeOffloadKey("ab");
const text: string = key;
// @ts-expect-error -- a plain string carries no brand
const forged: OffloadKey = "ab00000000";
// @ts-expect-error -- nor does a hash in hex
offloadKeyHash("ab");
same<ReturnType<typeof hashBlocks>, Uint8Array[]>(true);
hashBlocks(new Uint32Array(4), 2, new Uint8Array(1));

// The config of a tier is of the tier's own type.
class ShelfConfig {
  slots = 1;
}
@SecondaryTier("shelf", { config: ShelfConfig, medium: "CPU" })
class ShelfTier extends BlockStoreTier<ShelfConfig> {
  protected async exists(keys: readonly OffloadKey[], ctx: RequestContext): Promise<boolean[]> {
    same<typeof this.context, TierContext<ShelfConfig>>(true);
    return keys.map(() => this.context.config.slots > ctx.reqId.length);
  }
  protected async write(_key: OffloadKey, _block: Uint8Array, _signal: AbortSignal): Promise<void> {}
  protected async read(_key: OffloadKey, _into: Uint8Array, _signal: AbortSignal): Promise<void> {}
}
// Built-in tiers are classes to extend, each with the config of its own.
class AuditedLog extends LogTier {
  protected override async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    same<typeof this.context.config.segmentBytes, number | undefined>(true);
    return super.exists(keys);
  }
}
const asManager: SecondaryTierManager = new ShelfTier({} as TierContext<ShelfConfig>);
// @ts-expect-error -- the config is not optional
new ShelfTier();
// @ts-expect-error -- a medium is one of two
SecondaryTier("shelf", { medium: "TAPE" });
// @ts-expect-error -- a contract is a class or "passthrough"
Detector("watch", { config: "free" });
// @ts-expect-error -- three methods are missing
class Lazy extends BlockStoreTier {}
const never = (): never => {
  throw new TypeError("This file is compiled and never run.");
};
// @ts-expect-error -- the base is abstract
new SecondaryTierManager(never());

// What a tier is told, and what it tells.
const result: JobResult = { jobId: 1, success: false, successfulKeys: [key], transferTime: 0.1, transferBytes: 4 };
const readJob = ({ keys, blockIds, isPromotion, submitTime }: TransferJob): unknown => [
  keys[0]?.length,
  blockIds.buffer,
  isPromotion,
  submitTime.toFixed(),
];
same<LookupResult, "miss" | "hit" | "hit_pending" | "retry">(true);
same<Medium, "CPU" | "STORAGE">(true);
const event: OffloadingEvent = { keys: [key], medium: "CPU", removed: false };
// @ts-expect-error -- results are not changed
result.success = true;

// createTiering hands out the cache and its parts.
async function useTiering(container: Container): Promise<void> {
  const tiering = await createTiering({}, { container, configure: async (given) => void given.isBound("x") });
  same<typeof tiering, Tiering>(true);
  same<typeof tiering.cache, KvCache>(true);
  same<typeof tiering.manager, TieringOffloadingManager>(true);
  same<typeof tiering.factory, SecondaryTierFactory>(true);
  const disposable: AsyncDisposable = tiering;
  const { cache, close } = tiering;
  const lease: Lease = await cache.acquire([key], { requestId: "r", deadlineS: 1, signal: AbortSignal.abort() });
  same<typeof lease.hits, number>(true);
  const block: Uint8Array | undefined = lease.blocks[0];
  const ticket: StoreTicket | null = cache.reserve([key], { requestId: "r" });
  ticket?.abort();
  const copies: Uint8Array[] = await cache.get([key]);
  const stored: number = await cache.put([key], copies);
  const tier: SecondaryTierManager = await tiering.factory.createSecondaryTier({ type: "fs", root_dir: "./kv" });
  // @ts-expect-error -- strings are no keys
  await cache.get(["ab"]);
  await close();
  void [disposable, block, stored, tier];
}

// The module needs the pool and the spec.
// @ts-expect-error -- both are missing
tieringModule({});
const importer: ModuleImporter = async (specifier, resolveFrom) => ({ [specifier]: resolveFrom });
const clock: Clock = { now: () => 0, after: () => () => undefined };
// @ts-expect-error -- the cancel function is missing
const halfClock: Clock = { now: () => 0, after: () => undefined };

// A parsed config is read only.
const config: TieringConfig = parseTieringConfig({});
// @ts-expect-error -- read only
config.blockBytes = 1;
const spec = {} as OffloadingSpec;
// @ts-expect-error -- read only, at every depth
spec.model.name = "x";

// An error is narrowed by its brand, and its codes are known.
function read(error: unknown): readonly ConfigProblem[] {
  if (!KvTierError.is(error, "CONFIG_INVALID")) return [];
  same<typeof error.code, KvTierErrorCode>(true);
  return error.problems;
}
// @ts-expect-error -- no such code
KvTierError.is(0, "CONFIG_WRONG");

new TierFilter([{ medium: "CPU", locality: "REMOTE" }]).allows({ medium: null });
// @ts-expect-error -- a locality is one of two
new TierFilter([{ locality: "NEAR" }]);

export const seen = [
  AuditedLog,
  text,
  forged,
  asManager,
  Lazy,
  readJob,
  event,
  useTiering,
  importer,
  clock,
  halfClock,
  read,
];

// A config is checked by its type when it has one: keys in either spelling, and options of tiers as they are.
const model = { name: "m", dtype: "float16", tokens_per_block: 16 };
const sizes = { cpu_bytes_to_use: "1GiB", block_bytes: 4096 };
parseTieringConfig({ ...sizes, model, secondary_tiers: [{ type: "fs", root_dir: "/kv", locality: "REMOTE" }] });
parseTieringConfig({ ...sizes, model, secondary_tiers: [{ type: "log", root_dir: "/kv", max_bytes: "4GiB" }] });
parseTieringConfig({
  cpuBytesToUse: 1,
  blockBytes: 1,
  model: { name: "m", dtype: "f", tokensPerBlock: 1, worldSize: 2 },
  evictionPolicy: "arc",
  secondaryTiers: [{ type: "example", backpressure: { backpressureCls: "EMABackpressureDetector", highWaterS: 1 } }],
});
// @ts-expect-error -- a key that there is not
parseTieringConfig({ ...sizes, model, evicton_policy: "lru" });
// @ts-expect-error -- no such policy
parseTieringConfig({ ...sizes, model, eviction_policy: "fifo" });
// @ts-expect-error -- a size is missing
parseTieringConfig({ block_bytes: 1, model });
// @ts-expect-error -- one option in two spellings
parseTieringConfig({ ...sizes, blockBytes: 1, model });
// @ts-expect-error -- a tier without its type
parseTieringConfig({ ...sizes, model, secondary_tiers: [{ root_dir: "/kv" }] });
// @ts-expect-error -- a detector without its name
parseTieringConfig({ ...sizes, model, secondary_tiers: [{ type: "fs", backpressure: { high_water_s: 1 } }] });
// What was parsed from JSON has no type, and is checked when it is read.
declare const json: unknown;
parseTieringConfig(json);
parseTieringConfig(JSON.parse("{}"));
parseTieringConfig(json as Record<string, unknown>);
const input: TieringConfigInput = { ...sizes, model };
void createTiering(input);
void createTiering(json);
