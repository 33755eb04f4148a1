import { LookupResult } from "../../contracts/lookup-result.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { RequestContext } from "../../contracts/request-context.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import { AbortControllers } from "../shared/abort-controllers.js";
import { BlockStoreTier } from "../shared/block-store-tier.js";
import type { BlockTransfer, TransferOutcome } from "../shared/block-transfer.js";
import { asError } from "../shared/checked-io.js";
import { DeadlineQueue } from "../shared/deadline-queue.js";
import { FailureLog } from "../shared/failure-log.js";
import { ABSENT, CHECKSUM } from "../shared/worker/block-fault.js";
import { inLanes } from "./in-lanes.js";
import { isBlockFault } from "./is-block-fault.js";
import type { Operation } from "./server-breaker.js";
import { ServerBreakers } from "./server-breakers.js";

/**
 * A tier whose blocks are on servers, from four promise methods for one block each. Between them and the servers'
 * outages stand {@link ServerBreakers}: of a server that fails, look-ups miss, loads fail and stores are dropped, all at
 * once; the blocks of others are served. A method says by rejecting with a `blockFault` that the block is to blame; any
 * other rejection, and an abort by the signal, is the server's.
 *
 * A subclass calls `super.initialize()` first in its own, and in `shutdown` awaits `super.shutdown()` before it closes
 * its client.
 */
export abstract class RemoteBlockStoreTier<TConfig = unknown> extends BlockStoreTier<TConfig> {
  readonly #aborts = new AbortControllers();
  #breakersOrNull: ServerBreakers | null = null;
  #deadlines: DeadlineQueue | null = null;
  #faults: FailureLog | null = null;
  #checksumFailures = 0;
  #blocksDropped = 0;

  override async initialize(): Promise<void> {
    const { clock, logger } = this.context;
    this.#breakersOrNull = await ServerBreakers.load({
      clock,
      logger,
      tierType: this.tierType,
      isAnswer: (error) => this.isAnswer(error),
    });
    this.#deadlines = new DeadlineQueue(clock, this.limits.deadlineS);
    this.#faults = new FailureLog(logger, clock);
  }

  /**
   * Whether the server holds the block whole. Called for {@link lookupLanes} keys of a look-up at once.
   *
   * @param signal aborted after `limits.deadlineS`; nobody wants the answer then
   */
  protected abstract has(key: OffloadKey, signal: AbortSignal): Promise<boolean>;

  /**
   * Stores one block, as `write` does.
   *
   * @returns whether it was written; `false`: it was there already, whole
   */
  protected abstract put(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<boolean>;

  /** Loads one block, as `read` does. Rejects with a `blockFault` when it is not there, not whole, or not what was stored. */
  protected abstract get(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void>;

  /** Removes a damaged block from the server, so that it is stored anew. What goes wrong is ignored. */
  protected abstract discard(key: OffloadKey): Promise<void>;

  /**
   * Whether an error of these methods says that the server is there and works, so that it is no reason to stay away from
   * it: that a block is to blame, unless a subclass knows of more.
   */
  protected isAnswer(error: unknown): boolean {
    return isBlockFault(error);
  }

  /** Names the server that has, or would have, this block; `""` when all are on one. Must not throw. */
  protected serverOf(_key: OffloadKey): string {
    return "";
  }

  /** To be called when other servers have the blocks now: what became of those that are not named is forgotten. */
  protected retainServers(names: readonly string[]): void {
    this.#breakersOrNull?.retain(names);
  }

  /** Calls of {@link has} that one look-up has out at once; all, unless a client has no pipeline and this is overridden. */
  protected get lookupLanes(): number {
    return Infinity;
  }

  override lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    return this.#refusalOf(key, "lookup") === null ? super.lookup(key, ctx) : LookupResult.Miss;
  }

  protected override outage(keys: readonly OffloadKey[], isLoad: boolean): string | null {
    let refusal: string | null = null;
    for (const key of keys) {
      refusal = this.#refusalOf(key, isLoad ? "load" : "store");
      if (refusal === null) return null;
    }
    return refusal;
  }

  /** A key that the server says nothing about is a miss, and says nothing about the others. */
  protected override async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    const abort = this.#aborts.take();
    const { deadlineS } = this.limits;
    const cancel = this.#deadlines?.add(() => abort.abort(new Error(`Not answered within ${deadlineS} s.`)));
    try {
      const verdicts = new Array<boolean>(keys.length).fill(false);
      await inLanes(keys, this.lookupLanes, async (key, i) => {
        verdicts[i] = await this.#isThere(key, abort.signal);
      });
      return verdicts;
    } finally {
      cancel?.();
      this.#aborts.giveBack(abort);
    }
  }

  protected override writeBatch(
    batch: readonly BlockTransfer[],
    signal: AbortSignal,
  ): Promise<readonly TransferOutcome[]> {
    return Promise.all(batch.map(({ key, block }) => this.#store(key, block, signal)));
  }

  protected override async write(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#breakers.run(this.serverOf(key), "store", () => this.put(key, block, signal), signal);
  }

  protected override async read(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void> {
    try {
      await this.#breakers.run(this.serverOf(key), "load", () => this.get(key, into, signal), signal);
    } catch (error) {
      if (isBlockFault(error)) this.#loadFailed(key, asError(error));
      throw error;
    }
  }

  /**
   * Those of every tier; `checksumFailures` (blocks); those of `ServerBreakers`, where `engineFailures` counts look-ups of
   * a key, and stores and loads of a block, that a server failed.
   */
  override getStats(): TierFigures {
    const figures = super.getStats();
    return {
      ...figures,
      blocksDropped: (figures.blocksDropped ?? 0) + this.#blocksDropped,
      checksumFailures: this.#checksumFailures,
      ...this.#breakersOrNull?.figures,
    };
  }

  override async shutdown(): Promise<void> {
    this.#breakersOrNull?.shutDown();
    await super.shutdown();
  }

  async #isThere(key: OffloadKey, signal: AbortSignal): Promise<boolean> {
    const server = this.serverOf(key);
    if (this.#breakers.refusalOf(server, "lookup") !== null) return false;
    try {
      return await this.#breakers.run(server, "lookup", () => this.has(key, signal), signal);
    } catch (reason) {
      this.#report("A look-up failed and counts as a miss", asError(reason));
      return false;
    }
  }

  async #store(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<TransferOutcome> {
    const server = this.serverOf(key);
    const refusal = this.#breakers.refusalOf(server, "store");
    if (refusal !== null) {
      this.#blocksDropped++;
      return new Error(refusal);
    }
    try {
      const isWritten = await this.#breakers.run(server, "store", () => this.put(key, block, signal), signal);
      return isWritten ? block.byteLength : 0;
    } catch (reason) {
      return asError(reason);
    }
  }

  #loadFailed(key: OffloadKey, fault: Error): void {
    const code: unknown = Reflect.get(fault, "code");
    if (code === ABSENT) return;
    if (code === CHECKSUM) this.#checksumFailures++;
    this.#report("A stored block was damaged", fault);
    this.markRemoved([key]);
    this.discard(key).catch(() => {});
  }

  #report(message: string, error: Error): void {
    const code: unknown = Reflect.get(error, "code");
    this.#faults?.failed(
      message,
      { tier: this.tierType, error: reasonOf(error) },
      typeof code === "string" ? code : "",
    );
  }

  /** As of `ServerBreakers`; which server has a key is not worth finding out while none is refused anything. */
  #refusalOf(key: OffloadKey, operation: Operation): string | null {
    const breakers = this.#breakersOrNull;
    return breakers === null || breakers.isQuiet ? null : breakers.refusalOf(this.serverOf(key), operation);
  }

  get #breakers(): ServerBreakers {
    if (this.#breakersOrNull === null) {
      throw new KvTierError("INVALID_STATE", `The ${this.tierType} tier is not initialized.`);
    }
    return this.#breakersOrNull;
  }
}
