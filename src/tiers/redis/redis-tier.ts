import { configInvalid } from "../../config/config-invalid.js";
import { formatByteSize } from "../../config/byte-size.js";
import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import { RemoteBlockStoreTier } from "../remote/remote-block-store-tier.js";
import { untilAborted } from "../remote/until-aborted.js";
import { batchBlocksFor } from "../shared/batch-blocks.js";
import type { BlockStoreLimits } from "../shared/block-store-limits.js";
import { FailureLog } from "../shared/failure-log.js";
import { ABSENT, blockFault, TORN } from "../shared/worker/block-fault.js";
import type { PlaceFor } from "./block-client.js";
import { BlockCommands } from "./block-commands.js";
import { BlockKeys } from "./block-keys.js";
import { BlockValue, TRAILER_BYTES } from "./block-value.js";
import { checkPermissions } from "./check-permissions.js";
import { clearBlocks } from "./clear-blocks.js";
import { clientSettings } from "./client-settings.js";
import { greetServers } from "./greet-servers.js";
import { openServers } from "./open-servers.js";
import { parseNode, parseRedisUrl, type RedisAddress } from "./redis-address.js";
import { loadRedis } from "./redis-client.js";
import { isRefusedWrite, RedisError } from "./redis-error.js";
import { RedisTierConfig } from "./redis-tier-config.js";
import type { ServerMap } from "./server-map.js";

/** Bytes of one batch, unless a block is more: enough for one round trip, and few enough to let a load in soon. */
const BATCH_BYTES = 2 ** 18;
/**
 * Bytes that may be under way at once: at a round trip of 2 ms, 4 GB/s. What is more waits in the server, as replies that it
 * has no room for in its processor's cache: with 32 MiB a load costs it three times as much.
 */
const IN_FLIGHT_BYTES = 8 * 2 ** 20;
/** Batches for each connection: one is on the wire while the others wait there. */
const BATCHES_PER_CONNECTION = 4;
/** However large blocks are, stores wait for each other only in pairs, and leave one to loads. */
const MIN_BATCHES = 3;

/** All that is there while the tier runs. */
interface Running {
  readonly servers: ServerMap;
  readonly commands: BlockCommands;
}

/**
 * Blocks on a Redis or Valkey server, or cluster, one key each: `<key_prefix><model>_<digest>_r<rank>:<key>`. The value is
 * the block and a trailer with its checksum. Any number of processes may share the servers, which evict and expire keys
 * as they are told to: a block that is gone is a miss.
 */
@SecondaryTier("redis", { config: RedisTierConfig, medium: Medium.Storage })
export class RedisTier extends RemoteBlockStoreTier<RedisTierConfig> {
  #running: Running | null = null;
  #isShutDown = false;
  #keysOrNull: BlockKeys | null = null;
  #valueOrNull: BlockValue | null = null;
  #lost: FailureLog | null = null;
  #connectionsLost = 0;
  #blocksRefused = 0;

  override async initialize(): Promise<void> {
    const { config, clock, logger } = this.context;
    if (config.maxQueuedBytes < this.blockBytes) {
      const message = `must have room for a block, ${formatByteSize(this.blockBytes)}; got ${config.maxQueuedBytes}`;
      throw configInvalid([{ path: "max_queued_bytes", message }]);
    }
    await super.initialize();
    this.#lost = new FailureLog(logger, clock);
    const [createClient, settingsFor] = [await loadRedis(), await clientSettings(config)];
    const isCluster = config.url === undefined;
    const how = { createClient, settingsFor, clock, addresses: addressesOf(config), isCluster };
    await greetServers(how);
    const { connections, deadlineS } = config;
    const servers = await openServers({
      ...how,
      connections,
      deadlineS,
      onLost: (error) => this.#onLost(error),
      onMasters: (masters) => this.retainServers(masters.map(({ name }) => name)),
    });
    this.#run(servers);
    const commands = this.#open.commands;
    const { tierType } = this;
    await checkPermissions({ commands, key: this.#keys.probe, ttlMs: this.#ttlMs, logger, tierType });
  }

  protected override get limits(): BlockStoreLimits {
    const { connections, maxQueuedBytes, deadlineS } = this.context.config;
    const batchBlocks = batchBlocksFor(BATCH_BYTES, this.blockBytes);
    const room = Math.floor(IN_FLIGHT_BYTES / (batchBlocks * this.blockBytes));
    return {
      concurrency: Math.max(MIN_BATCHES, Math.min(connections * BATCHES_PER_CONNECTION, room)),
      batchBlocks,
      maxQueuedBlocks: Math.max(1, Math.floor(maxQueuedBytes / this.blockBytes)),
      deadlineS,
    };
  }

  protected override has(key: OffloadKey, signal: AbortSignal): Promise<boolean> {
    return untilAborted(this.#open.commands.exists(this.#keys.of(key)), signal);
  }

  /** Ends with the answer, or with the connection, and not with the signal: until then the block's slot is sent. */
  protected override async put(key: OffloadKey, block: Uint8Array): Promise<boolean> {
    try {
      await this.#open.commands.set(this.#keys.of(key), this.#value.seal(key, block), this.#ttlMs);
    } catch (error) {
      if (isRefusedWrite(error)) this.#blocksRefused++;
      throw error;
    }
    return true;
  }

  /** Ends as {@link put} does: until then the slot is written to. */
  protected override async get(key: OffloadKey, into: Uint8Array): Promise<void> {
    const trailer = Buffer.allocUnsafe(TRAILER_BYTES);
    const length = await this.#receive(key, (bytes) => this.#value.placeFor(bytes, into, trailer));
    if (length === null) throw blockFault(ABSENT, `Block ${key} is not there any more.`);
    this.#value.verify(key, length, into, trailer);
  }

  protected override async discard(key: OffloadKey): Promise<void> {
    await this.#open.commands.unlink(this.#keys.of(key));
  }

  protected override serverOf(key: OffloadKey): string {
    return this.#running?.servers.ownerOf(this.#keys.of(key))?.name ?? "";
  }

  /** A server that is full, or may not write now, still serves loads. */
  protected override isAnswer(error: unknown): boolean {
    return super.isAnswer(error) || isRefusedWrite(error);
  }

  /** Removes the keys of this prefix and namespace, and no other. */
  override async clear(): Promise<void> {
    const { servers, commands } = this.#open;
    try {
      await clearBlocks(servers.masters, commands, this.#keys.pattern);
    } finally {
      this.forgetLookups();
    }
  }

  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    const { commands } = this.#open;
    try {
      await Promise.all(keys.map((key) => commands.unlink(this.#keys.of(key))));
    } finally {
      this.markMiss(keys);
    }
  }

  /**
   * Those of every remote tier, and `blocksRefused` (stores of a block that the server did not take: it is full, or may
   * not write) and `connectionsLost` (connections that ended, or could not be made).
   */
  override getStats(): TierFigures {
    return { ...super.getStats(), blocksRefused: this.#blocksRefused, connectionsLost: this.#connectionsLost };
  }

  override async shutdown(): Promise<void> {
    this.#isShutDown = true;
    const isDone = super.shutdown();
    // What is out has been given up; with its connection it ends.
    this.#running?.servers.close();
    await isDone;
    this.#running = null;
  }

  #run(servers: ServerMap): void {
    if (this.#isShutDown) {
      servers.close();
      return;
    }
    this.#running = { servers, commands: new BlockCommands(servers) };
  }

  /** What lies under the key of a block and is no string is no block of ours either. */
  async #receive(key: OffloadKey, placeFor: PlaceFor): Promise<number | null> {
    try {
      return await this.#open.commands.get(this.#keys.of(key), placeFor, this.#ttlMs);
    } catch (error) {
      if (error instanceof RedisError && error.code === "WRONGTYPE") throw blockFault(TORN, error.message);
      throw error;
    }
  }

  #onLost(error: RedisError): void {
    this.#connectionsLost++;
    this.#lost?.failed("A connection to Redis is lost", { tier: this.tierType, error: error.message }, error.code);
  }

  get #ttlMs(): number | undefined {
    const { ttlS } = this.context.config;
    return ttlS === undefined ? undefined : Math.max(1, Math.round(ttlS * 1000));
  }

  get #keys(): BlockKeys {
    this.#keysOrNull ??= new BlockKeys(this.context.config.keyPrefix, {
      model: this.context.offloadingSpec.model,
      blockBytes: this.blockBytes,
    });
    return this.#keysOrNull;
  }

  get #value(): BlockValue {
    this.#valueOrNull ??= new BlockValue(this.#keys.namespace, this.blockBytes, this.context.config.checksum);
    return this.#valueOrNull;
  }

  get #open(): Running {
    if (this.#running !== null) return this.#running;
    throw new KvTierError("INVALID_STATE", "The redis tier is not initialized, or is shut down.");
  }
}

function addressesOf({ url, nodes = [] }: RedisTierConfig): RedisAddress[] {
  if (url !== undefined) return [parseRedisUrl(url).address];
  return nodes.map(parseNode).filter((address) => address !== null);
}
