import { html, setText } from "./dom.js";
import { byteRate, count, percent } from "./format.js";
import { MINUTE_S } from "./model.js";

/** @typedef {import("./model.js").CacheModel} CacheModel */

/** The few figures to look at first. @type {readonly { title: string, note: string, textOf: (model: CacheModel) => string }[]} */
const TILES = [
  { title: "Hit rate", note: "pool and tiers, last minute", textOf: (model) => percent(model.hitRate) },
  { title: "Stored", note: "to all tiers, now", textOf: (model) => byteRate(sumOver(model, "bytesWritten", rateNow)) },
  { title: "Loaded", note: "from all tiers, now", textOf: (model) => byteRate(sumOver(model, "bytesRead", rateNow)) },
  {
    title: "Dropped",
    note: "blocks, last minute",
    textOf: (model) => count(sumOver(model, "blocksDropped", lastMinute)),
  },
  { title: "Failed", note: "transfers, last minute", textOf: (model) => count(sumOver(model, "failures", lastMinute)) },
  {
    title: "Pool in use",
    note: "pinned or being written",
    textOf: ({ stats: { primary } }) => `${count(primary.busyBlocks)} of ${count(primary.capacityBlocks)}`,
  },
];

export class Tiles {
  #values;

  /** @param {HTMLElement} list a `dl` */
  constructor(list) {
    this.#values = TILES.map(({ title, note }) => {
      const value = html("dd", { class: "value" });
      list.append(html("div", { class: "card" }, html("dt", {}, title), value, html("dd", { class: "hint" }, note)));
      return value;
    });
  }

  /** @param {CacheModel} model */
  draw(model) {
    for (const [i, { textOf }] of TILES.entries()) {
      const value = this.#values[i];
      if (value !== undefined) setText(value, textOf(model));
    }
  }
}

/** @typedef {(model: CacheModel, column: import("./model.js").Values) => number} Measure */
/** @type {Measure} */
const rateNow = (model, column) => model.rateNow(column);
/** @type {Measure} */
const lastMinute = (model, column) => model.sum(column, MINUTE_S);

/** @param {CacheModel} model @param {keyof import("./model.js").TierSample} name @param {Measure} measure */
function sumOver(model, name, measure) {
  return model.stats.tiers.reduce((all, _, i) => all + measure(model, model.tier(i, name)), 0);
}
