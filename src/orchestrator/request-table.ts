import type { RequestContext } from "../contracts/request-context.js";
import { RequestState } from "./request-state.js";
import type { TierHandle } from "./tier-handle.js";

/** The live requests. One that was not announced is announced to the tiers by its first call. */
export class RequestTable {
  readonly #tiers: readonly TierHandle[];
  readonly #states = new Map<string, RequestState>();
  /** The one asked for last: a request asks for block after block. */
  #latest: RequestState | undefined;
  #arrivals = 0;

  constructor(tiers: readonly TierHandle[]) {
    this.#tiers = tiers;
  }

  find(reqId: string): RequestState | undefined {
    if (this.#latest?.ctx.reqId !== reqId) this.#latest = this.#states.get(reqId);
    return this.#latest;
  }

  /** The state of `ctx`'s request. A call after its finish means that the request goes on. */
  ensure(ctx: RequestContext): RequestState {
    const known = this.find(ctx.reqId);
    if (known !== undefined) {
      known.finished = false;
      return known;
    }
    const wanting = this.#tiers.filter((tier) => tier.onNewRequest(ctx));
    const state = new RequestState(ctx, ++this.#arrivals, wanting.length === 0 ? null : wanting);
    this.#states.set(ctx.reqId, state);
    this.#latest = state;
    return state;
  }

  /** Tells the tiers that the request is finished and forgets it, once they have seen its last submit. */
  settle(state: RequestState): void {
    if (!state.isSettled || this.#states.get(state.ctx.reqId) !== state) return;
    this.#states.delete(state.ctx.reqId);
    this.#latest = undefined;
    for (const tier of this.#tiers) tier.onRequestFinished(state.ctx);
  }

  all(): RequestState[] {
    return [...this.#states.values()];
  }
}
