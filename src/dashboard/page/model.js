/** @typedef {import("../stats-reply.js").CacheReply} CacheReply */
/** @typedef {import("../sample.js").PoolSample} PoolSample */
/** @typedef {import("../sample.js").TierSample} TierSample */
/** @typedef {import("../../metrics/tiering-stats.js").TierStats} TierStats */
/** @typedef {{ kind: "ok" | "warn" | "down", mark: string, text: string }} TierState */
/** @typedef {(number | null)[]} Values */

/** Seconds over which rates of this moment are averaged: long enough to be read. */
const NOW_S = 5;
/** Seconds over which hit rates are taken. */
export const MINUTE_S = 60;

/** One cache: its last figures, and its samples by column. Columns are as long as `dtS`, the oldest first. */
export class CacheModel {
  /** @type {number[]} seconds that each sample covers */
  dtS = [];
  /** @type {Map<string, Values>} */
  #columns = new Map();

  /** @param {CacheReply} reply */
  constructor(reply) {
    this.name = reply.name;
    this.blockBytes = reply.blockBytes;
    this.stats = reply.stats;
  }

  /** @param {CacheReply} reply what is new @param {number} limit samples to keep */
  update({ stats, samples }, limit) {
    this.stats = stats;
    this.dtS = [...this.dtS, ...samples.dtS].slice(-limit);
    this.#append("pool", samples.pool, limit);
    for (const [i, tier] of samples.tiers.entries()) this.#append(`tier ${i}`, tier, limit);
  }

  /** @param {keyof PoolSample} name @returns {Values} */
  pool(name) {
    return this.#columns.get(`pool ${name}`) ?? [];
  }

  /** @param {number} index @param {keyof TierSample} name @returns {Values} */
  tier(index, name) {
    return this.#columns.get(`tier ${index} ${name}`) ?? [];
  }

  /** Sum over the last `windowS` seconds. @param {Values} column @param {number} windowS */
  sum(column, windowS) {
    return column.slice(this.#firstWithin(windowS)).reduce((/** @type {number} */ all, value) => all + (value ?? 0), 0);
  }

  /** What the column grew by in a second, of late. @param {Values} column */
  rateNow(column) {
    const seconds = this.dtS.slice(this.#firstWithin(NOW_S)).reduce((all, dt) => all + dt, 0);
    return seconds === 0 ? 0 : this.sum(column, NOW_S) / seconds;
  }

  /** What the column grew by in a second, sample by sample. @param {Values} column @returns {Values} */
  rates(column) {
    return column.map((value, i) => (value ?? 0) / Math.max(this.dtS[i] ?? 1, 0.001));
  }

  /** Share of `hits` in `queries` over the last `windowS` seconds. @param {Values} hits @param {Values} queries @param {number} windowS */
  share(hits, queries, windowS) {
    const asked = this.sum(queries, windowS);
    return asked === 0 ? null : this.sum(hits, windowS) / asked;
  }

  /** Blocks of the pool by what they are for; together they are all. */
  get slots() {
    const { capacityBlocks: all, residentBlocks, pinnedBlocks, writingBlocks, busyBlocks: busy } = this.stats.primary;
    const idle = residentBlocks - pinnedBlocks - writingBlocks;
    return { all, busy, idle, free: all - busy - idle };
  }

  /** Of what was looked up in the last minute, what came from the pool or any tier. */
  get hitRate() {
    const asked = this.sum(this.pool("queries"), MINUTE_S);
    const found = this.stats.tiers.map((_, i) => this.sum(this.tier(i, "hits"), MINUTE_S));
    const hits = found.reduce((all, hits) => all + hits, this.sum(this.pool("hits"), MINUTE_S));
    // A look-up may be counted in one minute and the hit it led to in the next.
    return asked === 0 ? null : Math.min(1, hits / asked);
  }

  /** @param {number} index @returns {TierState} */
  stateOf(index) {
    const last = (/** @type {keyof TierSample} */ name) => this.tier(index, name).at(-1) ?? 0;
    if (last("breakerOpen") > 0) return { kind: "down", mark: "✕", text: "Breaker open" };
    if (last("stalled") > 0) return { kind: "down", mark: "✕", text: "Stalled" };
    if (last("pressure") > 0) return { kind: "warn", mark: "▲", text: "Under pressure" };
    if (this.sum(this.tier(index, "blocksDropped"), NOW_S) > 0)
      return { kind: "warn", mark: "▲", text: "Dropping stores" };
    return { kind: "ok", mark: "✓", text: "OK" };
  }

  /** @param {string} name @param {{ readonly [column: string]: readonly (number | null)[] }} columns @param {number} limit */
  #append(name, columns, limit) {
    for (const [column, values] of Object.entries(columns)) {
      const key = `${name} ${column}`;
      this.#columns.set(key, [...(this.#columns.get(key) ?? []), ...values].slice(-limit));
    }
  }

  /** Index of the first sample of the last `windowS` seconds. @param {number} windowS */
  #firstWithin(windowS) {
    let first = this.dtS.length;
    for (let seconds = 0; first > 0 && seconds < windowS - 0.5; first--) seconds += this.dtS[first - 1] ?? 0;
    return first;
  }
}
