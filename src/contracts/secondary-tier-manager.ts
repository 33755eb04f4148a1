import { inject, injectable } from "inversify";
import { KvTierError } from "../errors/kv-tier-error.js";
import { TOKENS } from "../tokens.js";
import type { StoreDetector } from "./backpressure.js";
import type { LookupResult } from "./lookup-result.js";
import type { Locality, Medium } from "./medium.js";
import { OffloadPolicy, type RequestOffloading } from "./offload-policy.js";
import type { OffloadKey } from "./offload-key.js";
import type { OffloadingEvent } from "./offloading-event.js";
import type { RequestContext, ScheduleEndContext } from "./request-context.js";
import type { TierContext } from "./tier-context.js";
import { tierMetadataOf } from "./tier-metadata.js";
import type { JobResult, TransferJob } from "./transfer-job.js";

/** Jobs that a drain left unfinished, by id. */
export interface DrainResult {
  readonly unfinished: readonly number[];
}

/** Cumulative figures of one tier; reading them changes nothing. */
export type TierFigures = Readonly<Record<string, number>>;

/**
 * The full contract of a secondary tier. Most tiers want `BlockStoreTier` instead, which meets it for them.
 *
 * Every synchronous method is called on the event loop between other requests' work: none may block, and none throws
 * for an I/O cause. Failures are results. Slots of the primary pool belong to a job from its submission until its one
 * result (or until the result's `blocksReleased` settles), and to nobody before and after.
 */
@injectable()
export abstract class SecondaryTierManager<TConfig = unknown> {
  protected readonly context: TierContext<TConfig>;

  constructor(@inject(TOKENS.tierContext) context: TierContext<TConfig>) {
    // A subclass without the decorator resolves with no arguments at all, and would fail far from here.
    if ((context as unknown) === undefined) throw contextMissing(this.constructor.name);
    this.context = context;
  }

  /** The configured `type`. */
  get tierType(): string {
    return this.context.tierType;
  }

  /** As given to `@SecondaryTier`; `null` without the decorator. */
  get medium(): Medium | null {
    return tierMetadataOf(this.constructor)?.medium ?? null;
  }

  get locality(): Locality | null {
    return this.context.locality ?? null;
  }

  /** Bytes of one block. */
  get blockBytes(): number {
    return this.context.primaryKvView.blockBytes;
  }

  get backpressureDetector(): StoreDetector | null {
    return this.context.backpressureDetector;
  }

  /** Opens what the tier needs. Called once, before anything else; a rejection is `TIER_INIT_FAILED` for the caller. */
  async initialize(): Promise<void> {}

  /** A request appears. The answer says which of its blocks this tier wants. */
  onNewRequest(_ctx: RequestContext): RequestOffloading {
    return { policy: OffloadPolicy.ChunkLevel };
  }

  /** Whether the tier holds `key`: `Hit`, `Miss`, or `Retry` while it is finding out. */
  abstract lookup(key: OffloadKey, ctx: RequestContext): LookupResult;

  /** Starts to fill the job's slots. They are allocated and unreadable until the result says otherwise. */
  abstract submitLoad(job: TransferJob): void;

  /** Starts to store the job's slots, which stay pinned until the result. */
  abstract submitStore(job: TransferJob): void;

  /** Everything that finished since the last call, each job exactly once. */
  abstract getFinishedJobs(): JobResult[];

  /** The keys of a request were used: a hint for the tier's own eviction. */
  touch(_keys: readonly OffloadKey[], _ctx: RequestContext): void {}

  /** No more submits for this request follow. Its transfers may still run. */
  onRequestFinished(_ctx: RequestContext): void {}

  /** A step ends: the moment to send what was collected in it. */
  onScheduleEnd(_ctx: ScheduleEndContext): void {}

  /** Block events since the last call. */
  takeEvents(): OffloadingEvent[] {
    return [];
  }

  /** Whether more steps are needed to get something finished. */
  hasPendingWork(): boolean {
    return false;
  }

  /**
   * Waits until no I/O of this tier touches the primary pool. May cancel what is queued (its results are failures),
   * never what runs. At the deadline it resolves with the jobs that are still out. Results stay to be collected.
   *
   * @param options.deadlineS seconds; absent = wait until all is done
   */
  abstract drainJobs(options?: { deadlineS?: number }): Promise<DrainResult>;

  /** Forgets every stored block of this namespace. Absent when the tier cannot. */
  clear?(): Promise<void>;

  /** Forgets these blocks and no others; those it does not hold are skipped. Absent when the tier cannot. */
  remove?(keys: readonly OffloadKey[]): Promise<void>;

  getStats(): TierFigures {
    return {};
  }

  /** Closes everything. Called once, after a drain; also when `initialize` failed. */
  async shutdown(): Promise<void> {}
}

function contextMissing(className: string): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    `${className} was constructed without its TierContext. Decorate the class with @SecondaryTier, which injects it, ` +
      "or pass the context to super().",
  );
}
