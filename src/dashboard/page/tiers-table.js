import { html, setAttributes, setText } from "./dom.js";
import { byteRate, bytes, count, duration, NONE, percent } from "./format.js";
import { swatch } from "./looks.js";
import { MINUTE_S } from "./model.js";

/** @typedef {import("./model.js").CacheModel} CacheModel */
/** @typedef {import("./model.js").TierStats} TierStats */

/**
 * What there is to say of the pool and of a tier in each column.
 *
 * @type {readonly { title: string, pool: (model: CacheModel) => string, tier: (model: CacheModel, tier: TierStats, i: number) => string }[]}
 */
const COLUMNS = [
  {
    title: "State",
    pool: ({ slots }) => `${count(slots.busy)} in use, ${count(slots.idle)} idle, ${count(slots.free)} free`,
    tier: (model, _, i) => `${model.stateOf(i).mark} ${model.stateOf(i).text}`,
  },
  { title: "Breaker", pool: () => NONE, tier: (_, { figures }) => breakerText(figures) },
  {
    title: "Hit rate, minute / all",
    pool: (model) => {
      const { hits, queries } = model.stats.primary;
      const minute = model.share(model.pool("hits"), model.pool("queries"), MINUTE_S);
      return `${percent(minute)} / ${percent(queries === 0 ? null : hits / queries)}`;
    },
    tier: (model, { hits, queries }, i) => {
      const minute = model.share(model.tier(i, "hits"), model.tier(i, "queries"), MINUTE_S);
      return `${percent(minute)} / ${percent(queries === 0 ? null : hits / queries)}`;
    },
  },
  {
    title: "Stored, now / all",
    pool: (model) => flowText(model, model.pool("bytesStored"), model.stats.primary.bytesStored),
    tier: (model, { bytesWritten }, i) => flowText(model, model.tier(i, "bytesWritten"), bytesWritten),
  },
  {
    title: "Loaded, now / all",
    pool: (model) => flowText(model, model.pool("bytesLoaded"), model.stats.primary.bytesLoaded),
    tier: (model, { bytesRead }, i) => flowText(model, model.tier(i, "bytesRead"), bytesRead),
  },
  { title: "Queue", pool: () => NONE, tier: (_, tier) => queueText(tier) },
  {
    title: "Dropped, minute / all",
    pool: () => NONE,
    tier: (model, { blocksDropped }, i) =>
      `${count(model.sum(model.tier(i, "blocksDropped"), MINUTE_S))} / ${count(blocksDropped)}`,
  },
  {
    title: "Failed",
    pool: ({ stats: { primary } }) => (primary.storesRefused > 0 ? `${count(primary.storesRefused)} refused` : "0"),
    tier: (_, { promotionFailures, cascadeFailures }) => count(promotionFailures + cascadeFailures),
  },
  { title: "Store p50 / p99", pool: () => NONE, tier: (_, tier) => latencyText(tier.writeLatencyS) },
  { title: "Load p50 / p99", pool: () => NONE, tier: (_, tier) => latencyText(tier.readLatencyS) },
  {
    title: "Evicted",
    pool: ({ stats: { primary } }) => count(primary.evictions),
    tier: (_, { figures: { evictions } }) => (evictions === undefined ? NONE : count(evictions)),
  },
  {
    title: "Holds",
    pool: ({ slots, blockBytes }) => bytes((slots.busy + slots.idle) * blockBytes),
    tier: ({ blockBytes }, { figures: { used, blocksHeld } }) =>
      used !== undefined ? bytes(used) : blocksHeld !== undefined ? bytes(blocksHeld * blockBytes) : NONE,
  },
];

/** Before the address of a server, in the name of a figure. */
const SERVER = "breakerOpen:";

/** Everything there is to say of the pool and the tiers, in words. On a narrow screen each row becomes a card. */
export class TiersTable {
  #body = html("tbody", { role: "rowgroup" });
  #drawnFor = "";

  /** @param {HTMLElement} host */
  constructor(host) {
    const names = ["Tier", ...COLUMNS.map(({ title }) => title)];
    const cells = names.map((name) => html("th", { scope: "col", role: "columnheader" }, name));
    const head = html("thead", { role: "rowgroup" }, html("tr", { role: "row" }, ...cells));
    // The roles are those that the elements have; some browsers forget them when the table is laid out as cards.
    host.append(html("table", { role: "table", class: "tiers", "aria-labelledby": "tiers-title" }, head, this.#body));
  }

  /** @param {CacheModel} model */
  draw(model) {
    const { primary, tiers } = model.stats;
    const labels = [primary.label, ...tiers.map(({ label }) => label)];
    if (labels.join("\n") !== this.#drawnFor)
      this.#body.replaceChildren(...labels.map((label, i) => row(label, i - 1)));
    this.#drawnFor = labels.join("\n");
    for (const [r, tr] of [...this.#body.children].entries()) {
      const tier = tiers[r - 1];
      for (const [c, { pool, tier: ofTier }] of COLUMNS.entries()) {
        const cell = tr.children[c + 1];
        if (cell !== undefined) setText(cell, tier === undefined ? pool(model) : ofTier(model, tier, r - 1));
      }
      if (tier !== undefined) setAttributes(tr, { class: model.stateOf(r - 1).kind });
    }
  }
}

/** @param {string} label @param {number} look */
function row(label, look) {
  const cells = COLUMNS.map(({ title }) => html("td", { role: "cell", "data-title": title }));
  return html("tr", { role: "row" }, html("th", { scope: "row", role: "rowheader" }, swatch(look), label), ...cells);
}

/** @param {CacheModel} model @param {import("./model.js").Values} column @param {number} all bytes since the start */
function flowText(model, column, all) {
  return `${byteRate(model.rateNow(column))} / ${bytes(all)}`;
}

/** @param {TierStats["figures"]} figures */
function breakerText({ breakerOpen, breakerOpens = 0, ...figures }) {
  if (breakerOpen === undefined) return "none";
  const refused = ["Lookups", "Loads", "Stores"].filter((name) => (figures[`breakerOpen${name}`] ?? 0) > 0);
  const servers = Object.keys(figures)
    .filter((name) => name.startsWith(SERVER))
    .map((name) => name.slice(SERVER.length));
  const state = breakerOpen === 0 ? "closed" : ["open", ...servers].join(" ");
  return [
    refused.length === 0 ? state : `${state}: ${refused.join(", ").toLowerCase()}`,
    ...(breakerOpens === 0 ? [] : [`opened ${count(breakerOpens)} ×`]),
  ].join("; ");
}

/** @param {TierStats} tier */
function queueText({ figures, activeCascades, activePromotions }) {
  const { queuedStores, queuedLoads, running = 0 } = figures;
  return queuedStores === undefined || queuedLoads === undefined
    ? `${count(activeCascades)} stores, ${count(activePromotions)} loads out`
    : `${count(queuedStores)} stores, ${count(queuedLoads)} loads, ${count(running)} running`;
}

/** @param {TierStats["readLatencyS"]} latency */
function latencyText({ count: samples, p50, p99 }) {
  return samples === 0 ? NONE : `${duration(p50)} / ${duration(p99)}`;
}
