import type { RequestContext } from "../contracts/request-context.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import type { StepDriver } from "./step-driver.js";

/**
 * The requests of a cache that have something open: an acquisition, a lease, a ticket. The first opening announces the
 * request to the manager, the last closing finishes it; an id that comes back later is a new request.
 */
export class OpenRequests {
  readonly #manager: TieringOffloadingManager;
  readonly #driver: StepDriver;
  readonly #open = new Map<string, number>();
  #fresh = 0;

  constructor(manager: TieringOffloadingManager, driver: StepDriver) {
    this.#manager = manager;
    this.#driver = driver;
  }

  /** An id that no request of this cache has had. */
  freshId(): string {
    return `kvtier-${++this.#fresh}`;
  }

  enter(ctx: RequestContext): void {
    const count = this.#open.get(ctx.reqId) ?? 0;
    if (count === 0) {
      this.#manager.onNewRequest(ctx);
      this.#driver.onNewRequest(ctx.reqId);
    }
    this.#open.set(ctx.reqId, count + 1);
  }

  leave(ctx: RequestContext): void {
    const count = this.#open.get(ctx.reqId) ?? 0;
    if (count > 1) {
      this.#open.set(ctx.reqId, count - 1);
      return;
    }
    this.#open.delete(ctx.reqId);
    this.#manager.onRequestFinished(ctx);
    this.#driver.wake();
  }
}
