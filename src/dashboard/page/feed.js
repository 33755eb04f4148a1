/** @typedef {import("../stats-reply.js").StatsReply} StatsReply */

const POLL_MS = 1000;
/** A server that does not answer for so long is not waited for. */
const TIMEOUT_MS = 5000;
/** Samples come once a second; without a new one for so long, what is shown is old. */
const STALE_MS = 3500;

/**
 * Asks the server once a second for the samples that are new, and again for ever when it does not answer. While nobody
 * sees the page it does not ask: the server keeps what is missed.
 */
export class Feed {
  #epoch = NaN;
  #last = 0;
  /** When the last new sample came. */
  #freshAt = performance.now();
  #isAsking = false;
  #hasData = false;
  #onReply;
  #onState;

  /**
   * @param {(reply: StatsReply, isAnew: boolean) => void} onReply `isAnew`: forget what came before
   * @param {(state: "connecting" | "live" | "stale", seconds: number) => void} onState once a second; `seconds` since
   *   the last new sample
   */
  constructor(onReply, onState) {
    this.#onReply = onReply;
    this.#onState = onState;
  }

  start() {
    setInterval(() => this.#tick(), POLL_MS);
    document.addEventListener("visibilitychange", () => this.#tick());
    this.#tick();
  }

  #tick() {
    if (document.hidden) return;
    if (!this.#isAsking) void this.#ask();
    this.#tellState();
  }

  #tellState() {
    const age = performance.now() - this.#freshAt;
    const state = age > STALE_MS ? "stale" : this.#hasData ? "live" : "connecting";
    this.#onState(state, Math.floor(age / 1000));
  }

  async #ask() {
    this.#isAsking = true;
    const reply = await this.#answer();
    this.#isAsking = false;
    if (reply !== null) this.#take(reply);
  }

  /** @returns {Promise<StatsReply | null>} `null`: none, or none that can be read; the page asks again */
  async #answer() {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const url = `stats.json?epoch=${this.#epoch}&since=${this.#last}`;
      const response = await fetch(url, { cache: "no-store", signal });
      return response.ok ? /** @type {StatsReply} */ (await response.json()) : null;
    } catch {
      return null;
    }
  }

  /** @param {StatsReply} reply */
  #take(reply) {
    const isAnew = reply.epoch !== this.#epoch;
    if (isAnew || reply.last > this.#last) this.#freshAt = performance.now();
    this.#epoch = reply.epoch;
    this.#last = reply.last;
    this.#hasData = true;
    this.#onReply(reply, isAnew);
    this.#tellState();
  }
}
