import type { Clock } from "../../../contracts/clock.js";
import type { LeaseTask } from "../keeper-tasks.js";
import type { Keeper } from "./keeper.js";
import { lostLeases } from "./lost-leases.js";
import { repeat } from "./repeat.js";

/** Well below the 10 seconds after which a lease without a heartbeat is taken over. */
const HEARTBEAT_S = 3;
/** A process that does not get the lease asks no more often. */
export const LEASE_RETRY_S = 1;
/** Who has passed it on asks for it only when all others that want it have had the time to. */
const REST_S = 2 * LEASE_RETRY_S;

/**
 * The right to evict, which one process on a folder has. Whoever needs it asks for it, and gets it at a heartbeat of the
 * one that has it: nobody is kept from storing for long by another that evicts for itself alone, or not at all.
 */
export class LeaseHolder {
  readonly #keeper: Keeper;
  readonly #clock: Clock;
  readonly #onFault: (error: unknown) => void;
  #isHeld = false;
  #isNew = false;
  #isElsewhere = false;
  /** Whether it was asked for and not had since. */
  #isAwaited = false;
  #nextAskAt = -Infinity;
  readonly #stop: () => void;

  constructor(keeper: Keeper, clock: Clock, onFault: (error: unknown) => void) {
    this.#keeper = keeper;
    this.#clock = clock;
    this.#onFault = onFault;
    this.#stop = repeat(clock, HEARTBEAT_S, async () => {
      if (this.#isHeld || this.#isAwaited) await this.#ask("keep");
    });
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether another process has it, as far as is known. */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  /** Whether it was got from others, whose work is not in the books, since this was last asked. */
  takeIsNew(): boolean {
    const isNew = this.#isNew;
    this.#isNew = false;
    return isNew;
  }

  /** Takes it, if nobody has it. */
  async open(): Promise<boolean> {
    await this.#ask("renew");
    this.#isNew = false;
    return this.#isHeld;
  }

  /** Whether the right is ours, now or after asking for it. */
  async take(): Promise<boolean> {
    if (!this.#isHeld && this.#clock.now() >= this.#nextAskAt) {
      this.#isAwaited = true;
      await this.#ask("ask");
    }
    return this.#isHeld;
  }

  /** No more heartbeats. The lease itself goes with the keeper. */
  close(): void {
    this.#stop();
    this.#isHeld = false;
  }

  async #ask(how: LeaseTask["how"]): Promise<void> {
    const wasHeld = this.#isHeld;
    this.#nextAskAt = this.#clock.now() + (how === "ask" ? LEASE_RETRY_S : 0);
    try {
      this.#isHeld = await this.#keeper.run({ op: "lease", how, lost: lostLeases.all });
      this.#isElsewhere = !this.#isHeld;
      if (wasHeld && this.#isElsewhere) this.#nextAskAt = this.#clock.now() + REST_S;
    } catch (error) {
      this.#isHeld = false;
      this.#isElsewhere = false;
      this.#onFault(error);
    }
    this.#isNew ||= this.#isHeld && !wasHeld;
    if (this.#isHeld) this.#isAwaited = false;
  }
}
