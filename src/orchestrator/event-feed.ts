import type { Logger } from "../contracts/logger.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import { closed } from "../errors/factory-errors.js";
import { guarded } from "./guarded.js";

/** Events that are kept for whoever takes them. Above it the older half goes: nobody seems to. */
export const MAX_KEPT_EVENTS = 100_000;

/** Gets the events of a step, in order; never an empty list. They are nobody else's. */
export type EventListener = (events: readonly OffloadingEvent[]) => void;

/** Gives each event once. */
export interface EventSource {
  takeEvents(): readonly OffloadingEvent[];
}

export interface EventFeedParts {
  /** Whether anything is recorded at all: `enable_kv_cache_events`. */
  readonly isEnabled: boolean;
  /** Those who record events, in the order in which theirs are told. */
  readonly sources: readonly EventSource[];
  readonly logger: Logger;
}

/**
 * Hands out the block events of a cache. They can be taken once, so there are two ways to have them and one excludes the
 * other: as long as somebody is subscribed, all subscribers get every event at the end of the step it is recorded in, and
 * nothing is left to take.
 */
export class EventFeed {
  readonly #parts: EventFeedParts;
  readonly #subscriptions = new Set<{ readonly listener: EventListener }>();
  /** What nobody has had yet. */
  #kept: OffloadingEvent[] = [];
  #hasDropped = false;
  #isClosed = false;

  constructor(parts: EventFeedParts) {
    this.#parts = parts;
  }

  /** Whether events are recorded: else nothing is ever told. */
  get isEnabled(): boolean {
    return this.#parts.isEnabled;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Calls `listener` at the end of each step with events, first with those that nobody has taken yet, until the returned
   * function is called or the cache has shut down. It is called between requests, so it must be quick. One that throws
   * is logged.
   *
   * @throws KvTierError `CLOSED`
   */
  subscribe(listener: EventListener): () => void {
    if (this.#isClosed) throw closed("The tiering manager");
    const subscription = { listener };
    this.#subscriptions.add(subscription);
    return () => void this.#subscriptions.delete(subscription);
  }

  /** Events since the last call; none while somebody is subscribed. */
  take(): OffloadingEvent[] {
    return this.#subscriptions.size === 0 ? this.#collect() : [];
  }

  /** Subscribers get what was recorded until now: at the end of a step, and before one leaves. */
  deliver(): void {
    if (this.#subscriptions.size === 0) {
      if (this.#parts.isEnabled) this.#gather();
      return;
    }
    const events = this.#collect();
    if (events.length === 0) return;
    for (const { listener } of this.#subscriptions) {
      guarded(this.#parts.logger, "A subscriber of block events", () => listener([...events]));
    }
  }

  /** Delivers the last events, and ends every subscription. */
  close(): void {
    this.deliver();
    this.#subscriptions.clear();
    this.#isClosed = true;
  }

  #collect(): OffloadingEvent[] {
    this.#gather();
    const events = this.#kept;
    this.#kept = [];
    return events;
  }

  #gather(): void {
    for (const source of this.#parts.sources) for (const event of source.takeEvents()) this.#kept.push(event);
    if (this.#kept.length <= MAX_KEPT_EVENTS) return;
    this.#kept = this.#kept.slice(-MAX_KEPT_EVENTS / 2);
    if (this.#hasDropped) return;
    this.#hasDropped = true;
    this.#parts.logger.warn(
      "Block events are dropped: nobody takes them or has subscribed, but enable_kv_cache_events is on",
    );
  }
}
