import type * as Zmq from "zeromq";
import { reasonOf } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { ReplayBuffer, SentBatch } from "./replay-buffer.js";
import { sequenceFrame } from "./sequence-frame.js";

/** Milliseconds for which a closed socket goes on to send what it has. */
const LINGER_MS = 1000;
/** Messages that may wait for one slow subscriber; over it the socket drops for this one. vLLM's. */
const HIGH_WATER_MARK = 100_000;
/** Ends a replay. */
const END = sequenceFrame(-1n);
const EMPTY = new Uint8Array();
/** Batches of a replay that are sent in one turn of the event loop. */
const REPLAY_TURN = 256;

export interface SocketAddresses {
  readonly endpoint: string;
  readonly replayEndpoint: string | null;
}

/** The sockets of a publisher: PUB for the batches, and ROUTER for those who missed some. */
export class EventSockets {
  /** As they were bound, a wildcard port by its number. */
  readonly addresses: SocketAddresses;
  readonly #publisher: Zmq.Publisher;
  readonly #router: Zmq.Router | null;

  /**
   * @param replayBatches that a replay has at most
   * @throws KvTierError `ADDRESS_INVALID` when an address cannot be bound or connected to; nothing is open then.
   */
  static async open(
    zmq: typeof Zmq,
    { endpoint, replayEndpoint }: SocketAddresses,
    replayBatches: number,
  ): Promise<EventSockets> {
    const publisher = new zmq.Publisher({ linger: LINGER_MS, sendHighWaterMark: HIGH_WATER_MARK });
    // One whole replay with its end may wait for each who asks: of more, for who asks again and does not read, it drops.
    const replayLimit = { linger: 0, sendHighWaterMark: replayBatches + 1 };
    const router = replayEndpoint === null ? null : new zmq.Router(replayLimit);
    try {
      const isBound = isToBeBound(endpoint);
      if (isBound) await reach(endpoint, () => publisher.bind(endpoint));
      else await reach(endpoint, async () => publisher.connect(endpoint));
      if (router !== null && replayEndpoint !== null) await reach(replayEndpoint, () => router.bind(replayEndpoint));
      const addresses = {
        endpoint: (isBound ? publisher.lastEndpoint : null) ?? endpoint,
        replayEndpoint: router?.lastEndpoint ?? null,
      };
      return new EventSockets(addresses, publisher, router);
    } catch (error) {
      publisher.close();
      router?.close();
      throw error;
    }
  }

  private constructor(addresses: SocketAddresses, publisher: Zmq.Publisher, router: Zmq.Router | null) {
    this.addresses = addresses;
    this.#publisher = publisher;
    this.#router = router;
  }

  async send(topic: Uint8Array, { sequence, payload }: SentBatch): Promise<void> {
    await this.#publisher.send([topic, sequenceFrame(sequence), payload]);
  }

  /** Answers those who ask for what they missed, one after the other, until the sockets are closed. */
  async serveReplays(sent: ReplayBuffer): Promise<void> {
    const router = this.#router;
    if (router === null) return;
    try {
      for await (const request of router) {
        const [subscriber, , start] = request;
        // Whoever speaks otherwise gets no answer, as from vLLM.
        if (request.length !== 3 || subscriber === undefined || start?.byteLength !== 8) continue;
        await nextTurn();
        await this.#replay(router, subscriber, sent.from(start.readBigInt64BE()));
      }
    } catch (error) {
      // Closed in the middle of a replay.
      if (!router.closed) throw error;
    }
  }

  close(): void {
    this.#publisher.close();
    this.#router?.close();
  }

  async #replay(router: Zmq.Router, subscriber: Uint8Array, batches: readonly SentBatch[]): Promise<void> {
    for (const [i, { sequence, payload }] of batches.entries()) {
      if (i > 0 && i % REPLAY_TURN === 0) await nextTurn();
      if (router.closed) return;
      await router.send([subscriber, EMPTY, sequenceFrame(sequence), payload]);
    }
    await router.send([subscriber, EMPTY, END, EMPTY]);
  }
}

/** Lets the cache go on: what waits in a socket is handed out without a turn of the event loop. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** vLLM's rule. */
function isToBeBound(endpoint: string): boolean {
  return /\*|::|^(?:ipc|inproc):/.test(endpoint);
}

async function reach(endpoint: string, open: () => Promise<void>): Promise<void> {
  try {
    await open();
  } catch (cause) {
    throw new KvTierError(
      "ADDRESS_INVALID",
      `KV events cannot be published at ${endpoint}: ${reasonOf(cause)}. Choose an address that is free and of this machine.`,
      { cause },
    );
  }
}
