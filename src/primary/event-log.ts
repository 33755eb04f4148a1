import { Medium } from "../contracts/medium.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import { CHANNELS } from "../diagnostics/channels.js";

/** Block events of the pool until somebody takes them; keeps nothing when not enabled. */
export class EventLog {
  /** Whether events are kept until they are taken. */
  readonly isEnabled: boolean;
  #events: OffloadingEvent[] = [];

  constructor(isEnabled: boolean) {
    this.isEnabled = isEnabled;
  }

  stored(keys: readonly OffloadKey[]): void {
    this.#record(keys, false);
  }

  /** Blocks were evicted. */
  removed(keys: readonly OffloadKey[]): void {
    this.#record(keys, true);
    if (keys.length === 0 || !CHANNELS.evict.hasSubscribers) return;
    CHANNELS.evict.publish({ tier: "0:primary", keys: [...keys] });
  }

  take(): OffloadingEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #record(keys: readonly OffloadKey[], removed: boolean): void {
    if (!this.isEnabled || keys.length === 0) return;
    // A copy: the caller's array goes to callers of the pool, who may change it.
    this.#events.push({ keys: [...keys], medium: Medium.Cpu, removed });
  }
}
