import { consoleLogger, safeLogger } from "../contracts/logger.js";
import { wallTime } from "../contracts/clock.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { loadPeers } from "../tiers/remote/load-peers.js";
import { BlockDescriptions, type SequenceDescription } from "./block-descriptions.js";
import { EventSockets } from "./event-sockets.js";
import { Outbox, type OutboxStats } from "./outbox.js";
import { checkPublisherOptions, type KvEventPublisherOptions } from "./publisher-options.js";
import { ReplayBuffer } from "./replay-buffer.js";
import { WireEvents } from "./wire-events.js";

const DEFAULTS = { maxQueuedBatches: 10_000, replayBatches: 10_000, maxDescribedBlocks: 100_000 };

/** What a publisher has done so far. */
export interface KvEventPublisherStats extends OutboxStats {
  /** Blocks whose description is kept. */
  readonly describedBlocks: number;
}

/**
 * Tells routers over ZeroMQ which blocks this process holds and where, in the frames and the packing of vLLM, so that what
 * follows vLLM's events can follow these. It never makes the cache wait: a step's events are packed and sent later, and
 * when too many wait they are dropped, which subscribers see by a gap in the numbers.
 */
export class KvEventPublisher {
  readonly #sockets: EventSockets;
  readonly #outbox: Outbox;
  readonly #descriptions: BlockDescriptions;
  readonly #unsubscribe: () => void;
  readonly #events: TieringOffloadingManager["events"];
  #closing: Promise<void> | undefined;

  /**
   * Publishes the events of `manager` from now on, those first that nobody has taken. Needs `enable_kv_cache_events` in
   * the config, and `enable_kv_events` in that of each tier whose blocks are to be told of.
   *
   * @throws KvTierError `CONFIG_INVALID` on an option; `PEER_DEPENDENCY_MISSING` without the packages `zeromq` and
   *   `@msgpack/msgpack`; `ADDRESS_INVALID` when an endpoint cannot be had; `INVALID_STATE` when the cache records no
   *   events; `CLOSED`
   */
  static async start(
    manager: Pick<TieringOffloadingManager, "events">,
    options: KvEventPublisherOptions,
  ): Promise<KvEventPublisher> {
    checkPublisherOptions(options);
    if (!manager.events.isEnabled) throw eventsDisabled();
    const { endpoint, replayEndpoint = null, replayBatches = DEFAULTS.replayBatches } = options;
    const packages = ["zeromq@6", "@msgpack/msgpack@3"];
    const [zmq, { Encoder }] = await loadPeers("KvEventPublisher", packages, () =>
      Promise.all([import("zeromq"), import("@msgpack/msgpack")]),
    );
    const sockets = await EventSockets.open(zmq, { endpoint, replayEndpoint }, replayBatches);
    try {
      const encoder = new Encoder({ useBigInt64: true });
      return new KvEventPublisher(manager, sockets, (batch) => encoder.encode(batch), options);
    } catch (error) {
      sockets.close();
      throw error;
    }
  }

  private constructor(
    manager: Pick<TieringOffloadingManager, "events">,
    sockets: EventSockets,
    pack: (batch: unknown) => Uint8Array,
    options: KvEventPublisherOptions,
  ) {
    const { topic = "", dataParallelRank = 0, now = wallTime } = options;
    const logger = safeLogger(options.logger ?? consoleLogger);
    const { maxQueuedBatches = DEFAULTS.maxQueuedBatches, replayBatches = DEFAULTS.replayBatches } = options;
    const sent = new ReplayBuffer(options.replayEndpoint === undefined ? 0 : replayBatches);
    const topicFrame = Buffer.from(topic, "utf8");
    this.#sockets = sockets;
    this.#events = manager.events;
    this.#descriptions = new BlockDescriptions(options.maxDescribedBlocks ?? DEFAULTS.maxDescribedBlocks);
    this.#outbox = new Outbox({
      capacity: maxQueuedBatches,
      logger,
      send: async ({ sequence, time, events }) => {
        const batch = { sequence, payload: pack([time, events, dataParallelRank]) };
        await sockets.send(topicFrame, batch);
        sent.add(batch);
      },
    });
    const wire = new WireEvents(this.#descriptions, options);
    this.#unsubscribe = manager.events.subscribe((events) => this.#outbox.put(now(), wire.of(events)));
    sockets
      .serveReplays(sent)
      .catch((error: unknown) => logger.error("KV events: replays are served no more.", { error: String(error) }));
  }

  /** Where subscribers connect to; with a wildcard port its number. */
  get endpoint(): string {
    return this.#sockets.addresses.endpoint;
  }

  /** Where they ask for what they missed; `null`: nowhere. */
  get replayEndpoint(): string | null {
    return this.#sockets.addresses.replayEndpoint;
  }

  get stats(): KvEventPublisherStats {
    return { ...this.#outbox.stats, describedBlocks: this.#descriptions.size };
  }

  /**
   * Says what the blocks of `keys` hold, for the events about them: before they are stored, or those events go without.
   * Kept until a block has left the last medium it was in.
   *
   * @param keys in the order of the prompt
   * @throws KvTierError `INVALID_STATE` when tokens or hashes are not as many for each block
   */
  describe(keys: readonly OffloadKey[], sequence: SequenceDescription): void {
    this.#descriptions.add(keys, sequence);
  }

  /**
   * Sends what has happened until now, then closes the sockets, which have a second more for slow subscribers. The cache
   * goes on. To tell of the stores that its closing still ends, close the cache first.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#events.deliver();
    this.#unsubscribe();
    await this.#outbox.drain();
    this.#sockets.close();
  }
}

function eventsDisabled(): KvTierError {
  return new KvTierError(
    "INVALID_STATE",
    "KvEventPublisher has nothing to publish: the cache records no block events. " +
      'Set "enable_kv_cache_events": true in the config, and "enable_kv_events": true in that of each tier to follow.',
  );
}
