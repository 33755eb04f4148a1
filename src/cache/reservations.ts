import type { KvBlockView } from "../contracts/kv-block-view.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import type { PreparedStore } from "../primary/primary-tier.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import type { OpenRequests } from "./open-requests.js";
import type { StepDriver } from "./step-driver.js";
import { StoreTicket } from "./store-ticket.js";

export interface ReservationDependencies {
  readonly manager: TieringOffloadingManager;
  readonly driver: StepDriver;
  readonly requests: OpenRequests;
  readonly view: KvBlockView;
  /** @throws KvTierError `CLOSED` */
  readonly assertOpen: () => void;
}

/** Finds room for new blocks. */
export class Reservations {
  readonly #deps: ReservationDependencies;
  #isStopped = false;
  #openTickets = 0;

  constructor(deps: ReservationDependencies) {
    this.#deps = deps;
  }

  /** Tickets with blocks to fill that are neither committed nor aborted. */
  get openTickets(): number {
    return this.#openTickets;
  }

  /** From now on there is no room for anybody. */
  stop(): void {
    this.#isStopped = true;
  }

  /** A ticket for those of `keys` that are new; `null` when the pool has no room now. */
  reserve(keys: readonly OffloadKey[], ctx: RequestContext): StoreTicket | null {
    const { manager, driver, requests, assertOpen } = this.#deps;
    assertOpen();
    if (this.#isStopped) return null;
    driver.collect();
    requests.enter(ctx);
    let plan: PreparedStore | null = null;
    try {
      plan = manager.prepareStore(keys, ctx);
    } finally {
      // With nothing to write the request is over: many a caller drops an empty ticket.
      if (plan === null || plan.keysToStore.length === 0) requests.leave(ctx);
    }
    return plan && this.#ticketFor(plan, keys, ctx);
  }

  /** Waits for room while transfers are under way that may make some; then as long a prefix as fits. */
  async reserveWithRoom(
    keys: readonly OffloadKey[],
    ctx: RequestContext,
    signal: AbortSignal | undefined,
  ): Promise<StoreTicket[]> {
    const { manager, driver } = this.#deps;
    for (;;) {
      const ticket = this.reserve(keys, ctx);
      if (ticket !== null) return [ticket];
      if (this.#isStopped) return [];
      if (!manager.hasTransfers) return this.#reservePrefix(keys, ctx);
      await driver.nextStep(signal);
    }
  }

  /** By halving. What is found to fit stays reserved, so that a longer prefix cannot evict it. */
  #reservePrefix(keys: readonly OffloadKey[], ctx: RequestContext): StoreTicket[] {
    const tickets: StoreTicket[] = [];
    let fitting = 0;
    let most = keys.length - 1;
    while (fitting < most) {
      const length = Math.ceil((fitting + most) / 2);
      const ticket = this.reserve(keys.slice(0, length), ctx);
      if (ticket === null) most = length - 1;
      else {
        tickets.push(ticket);
        fitting = length;
      }
    }
    return tickets;
  }

  #ticketFor(plan: PreparedStore, asked: readonly OffloadKey[], ctx: RequestContext): StoreTicket {
    const { manager, driver, requests, view } = this.#deps;
    // Handed out and read again at the end, so not to be changed in between.
    const keys = Object.freeze([...plan.keysToStore]);
    const isOpen = keys.length > 0;
    if (isOpen) this.#openTickets++;
    const complete = (success: boolean): void => {
      if (isOpen) this.#openTickets--;
      if (isOpen) manager.completeStore(keys, ctx, success);
      if (success) manager.touch(asked, ctx);
      if (isOpen) requests.leave(ctx);
      driver.wake();
    };
    try {
      const blocks = Array.from(plan.blockIds, (blockId) => view.block(blockId));
      return new StoreTicket(keys, blocks, complete);
    } catch (error) {
      complete(false);
      throw error;
    }
  }
}
