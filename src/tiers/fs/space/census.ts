import type { Clock } from "../../../contracts/clock.js";
import type { ScanReply } from "../keeper-tasks.js";
import type { Keeper } from "./keeper.js";

/** Of all time, the share that counting may take when every store asks for it: a tenth. */
const REST_PER_WORK = 10;
/** However fast it is. */
const MIN_REST_S = 1;

export interface CensusParts {
  readonly keeper: Keeper;
  readonly clock: Clock;
  readonly onDone: (reply: ScanReply) => void;
  readonly onFault: (error: unknown) => void;
}

/** Counts what lies below a root, one count at a time. */
export class Census {
  readonly #parts: CensusParts;
  #running: Promise<void> | null = null;
  #endedAt = -Infinity;
  #tookS = 0;

  constructor(parts: CensusParts) {
    this.#parts = parts;
  }

  /** Counts, or waits for the count that is under way. Never rejects. */
  async take(): Promise<void> {
    this.#running ??= this.#run().finally(() => (this.#running = null));
    await this.#running;
  }

  /** The same, unless the last count was just now. */
  async takeIfDue(): Promise<void> {
    if (this.#running !== null || this.restS <= 0) await this.take();
  }

  /** Seconds until it is due again. */
  get restS(): number {
    const rest = Math.max(MIN_REST_S, REST_PER_WORK * this.#tookS);
    return this.#endedAt + rest - this.#parts.clock.now();
  }

  async #run(): Promise<void> {
    const { keeper, clock, onDone, onFault } = this.#parts;
    const startedAt = clock.now();
    try {
      onDone(await keeper.scan());
    } catch (error) {
      onFault(error);
    }
    this.#endedAt = clock.now();
    this.#tookS = this.#endedAt - startedAt;
  }
}
