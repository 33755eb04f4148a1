import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import { inLanes } from "../remote/in-lanes.js";
import { RemoteBlockStoreTier } from "../remote/remote-block-store-tier.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";
import { BlockObjects } from "./block-objects.js";
import { readCaBundle } from "./ca-bundle.js";
import { Credentials } from "./credentials.js";
import { s3Endpoint } from "./endpoint.js";
import { loadObjPeers } from "./obj-peers.js";
import { ObjTierConfig } from "./obj-tier-config.js";
import { ObjectNames } from "./object-names.js";
import { S3Client } from "./s3-client.js";
import { storeUnusable } from "./store-unusable.js";

/** Look-ups are small and all waiting: four fit on the way where one block does. */
const ASKS_PER_THREAD = 4;
const DEFAULT_REGION = "us-east-1";
/** A host that takes longer than this for a handshake is not worth the rest of the deadline. */
const MAX_CONNECT_S = 10;

/**
 * Blocks as objects of an S3 bucket, one each: `<prefix>/<model>_<digest>_r<rank>/<two hex digits>/<hash>_g<group>.bin`.
 * Any number of processes may share the bucket; an object appears whole or not at all.
 *
 * Bytes go between the sockets and the pool without a copy in between. It never evicts: set a lifecycle rule on the bucket.
 */
@SecondaryTier("obj", { config: ObjTierConfig, medium: Medium.Storage })
export class ObjTier extends RemoteBlockStoreTier<ObjTierConfig> {
  /** Milliseconds before the first retry. Tests override this. */
  protected readonly retryDelayMs: number = 100;
  #client: S3Client | null = null;
  #objects: BlockObjects | null = null;

  override async initialize(): Promise<void> {
    await super.initialize();
    const { config, offloadingSpec } = this.context;
    const store = config.storeConfig;
    const endpoint = s3Endpoint(store);
    const peers = await loadObjPeers(store.accessKey === "");
    const fixed = {
      accessKeyId: store.accessKey,
      secretAccessKey: store.secretKey,
      ...(store.sessionToken !== "" && { sessionToken: store.sessionToken }),
    };
    this.#client = await S3Client.open({
      peers,
      endpoint,
      region: store.region === "" ? DEFAULT_REGION : store.region,
      credentials: new Credentials(peers.chain ?? fixed),
      transfers: config.ioThreads,
      asks: this.lookupLanes,
      ca: store.caBundle === "" ? undefined : await readCaBundle(store.caBundle),
      connectTimeoutS: Math.min(MAX_CONNECT_S, config.deadlineS),
      signsBody: store.reqChecksum === "supported",
      retryDelayMs: this.retryDelayMs,
    });
    const names = new ObjectNames(config.prefix, offloadingSpec);
    const objects = new BlockObjects(this.#client, names, this.blockBytes, config.checksum);
    try {
      await this.#inTime((signal) => objects.probe(signal));
    } catch (cause) {
      throw storeUnusable(`The bucket ${JSON.stringify(store.bucket)} at ${endpoint.origin}`, cause);
    }
    this.#objects = objects;
  }

  protected override get limits(): BlockStoreLimits {
    const { ioThreads, maxQueuedBlocks, deadlineS } = this.context.config;
    return { concurrency: ioThreads, batchBlocks: 1, maxQueuedBlocks, deadlineS };
  }

  protected override get lookupLanes(): number {
    return this.context.config.ioThreads * ASKS_PER_THREAD;
  }

  protected override has(key: OffloadKey, signal: AbortSignal): Promise<boolean> {
    return this.#open.has(key, signal);
  }

  protected override put(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<boolean> {
    return this.#open.put(key, block, signal);
  }

  protected override get(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#open.get(key, into, signal);
  }

  protected override discard(key: OffloadKey): Promise<void> {
    return this.#inTime((signal) => this.#open.remove(key, signal));
  }

  /** Deletes the objects of this namespace's blocks, one by one; what else is in the bucket stays. */
  override async clear(): Promise<void> {
    const objects = this.#open;
    try {
      for (let after: string | null = ""; after !== null;) {
        const start: string = after;
        const { blocks, last } = await this.#inTime((signal) => objects.page(start, signal));
        await inLanes(blocks, this.lookupLanes, (name) => this.#inTime((signal) => objects.delete(name, signal)));
        after = last;
      }
    } finally {
      this.forgetLookups();
    }
  }

  /** Deletes the objects of these blocks; a key that can have none is no fault. */
  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    const objects = this.#open;
    try {
      await inLanes(keys, this.lookupLanes, (key) => this.#inTime((signal) => objects.remove(key, signal)));
    } finally {
      this.markMiss(keys);
    }
  }

  /** Those of every remote tier; `connections` (open ones), `retries` (of requests) and `credentialRefreshes`. */
  override getStats(): TierFigures {
    return { ...super.getStats(), ...this.#client?.figures };
  }

  override async shutdown(): Promise<void> {
    await super.shutdown();
    this.#objects = null;
    await this.#client?.close();
  }

  /** Runs what is no job and no look-up, and so has no deadline by itself. */
  async #inTime<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const { deadlineS } = this.context.config;
    const late = new Error(`Not answered within ${deadlineS} s`);
    const cancel = this.context.clock.after(deadlineS, () => abort.abort(late));
    try {
      return await run(abort.signal);
    } finally {
      cancel();
    }
  }

  get #open(): BlockObjects {
    if (this.#objects === null)
      throw new KvTierError("INVALID_STATE", "The obj tier is not initialized, or is shut down.");
    return this.#objects;
  }
}
