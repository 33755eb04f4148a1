import type { Logger } from "../contracts/logger.js";
import { reasonOf } from "../errors/factory-errors.js";
import type { WireEvent } from "./wire-events.js";

/** The events of one step. */
export interface Batch {
  /** Counts up from 0, also over batches that are dropped. */
  readonly sequence: bigint;
  /** Seconds since 1970. */
  readonly time: number;
  readonly events: readonly WireEvent[];
}

export interface OutboxStats {
  readonly sentBatches: number;
  /** Because too many waited, or because they could not be sent. */
  readonly droppedBatches: number;
  readonly droppedEvents: number;
  readonly queuedBatches: number;
}

export interface OutboxParts {
  /** Batches that may wait. */
  readonly capacity: number;
  readonly send: (batch: Batch) => Promise<void>;
  readonly logger: Logger;
}

/** Batches on their way out, one at a time and in order. Putting one in costs its caller nothing but that. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #queue: Batch[] = [];
  #nextSequence = 0n;
  #sentBatches = 0;
  #droppedBatches = 0;
  #droppedEvents = 0;
  #sending: Promise<void> | null = null;

  constructor(parts: OutboxParts) {
    this.#parts = parts;
  }

  get stats(): OutboxStats {
    return {
      sentBatches: this.#sentBatches,
      droppedBatches: this.#droppedBatches,
      droppedEvents: this.#droppedEvents,
      queuedBatches: this.#queue.length,
    };
  }

  /** The batch is sent in a later turn of the event loop, or dropped when too many wait. */
  put(time: number, events: readonly WireEvent[]): void {
    const batch = { sequence: this.#nextSequence++, time, events };
    if (this.#queue.length >= this.#parts.capacity) this.#drop(batch, "too many batches wait");
    else this.#queue.push(batch);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when nothing waits. */
  async drain(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  async #sendAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift()) await this.#send(batch);
    this.#sending = null;
  }

  async #send(batch: Batch): Promise<void> {
    try {
      await this.#parts.send(batch);
      this.#sentBatches++;
    } catch (error) {
      this.#drop(batch, reasonOf(error));
    }
  }

  /** Told of once: a cache that is as busy as this has enough to do. */
  #drop({ events }: Batch, reason: string): void {
    if (this.#droppedBatches === 0) this.#parts.logger.warn("KV events are dropped; stats count them", { reason });
    this.#droppedBatches++;
    this.#droppedEvents += events.length;
  }
}
