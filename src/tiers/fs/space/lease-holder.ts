import type { Clock } from "../../../contracts/clock.js";
import type { Keeper } from "./keeper.js";
import { repeat } from "./repeat.js";

/** Well below the 10 seconds after which a lease without a heartbeat is taken over. */
const HEARTBEAT_S = 3;
/** A process that does not get the lease asks no more often. */
const RETRY_S = 1;

/** The right to evict, which one process on a folder has. */
export class LeaseHolder {
  readonly #keeper: Keeper;
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  #isHeld = false;
  #askedAt = -Infinity;
  readonly #stop: () => void;

  constructor(keeper: Keeper, clock: Clock, onFault: (error: unknown) => void) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#onFault = onFault;
    this.#stop = repeat(clock, HEARTBEAT_S, async () => {
      if (this.#isHeld) await this.#ask();
    });
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether the right is ours, now or after asking for it. */
  async take(): Promise<boolean> {
    if (!this.#isHeld && this.#clock.now() - this.#askedAt >= RETRY_S) await this.#ask();
    return this.#isHeld;
  }

  /** No more heartbeats. The lease itself goes with the keeper. */
  close(): void {
    this.#stop();
    this.#isHeld = false;
  }

  async #ask(): Promise<void> {
    this.#askedAt = this.#clock.now();
    try {
      this.#isHeld = await this.#keeper.run({ op: "lease" });
    } catch (error) {
      this.#isHeld = false;
      this.#onFault(error);
    }
  }
}
