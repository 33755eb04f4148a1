import { Chart } from "./chart.js";
import { byteRate, count, inUnit, percent } from "./format.js";

/** @typedef {import("./chart.js").ChartSpec} ChartSpec */
/** @typedef {import("./model.js").CacheModel} CacheModel */
/** @typedef {import("./model.js").Values} Values */
/** @typedef {import("./model.js").TierSample} TierSample */

/** Samples that a hit rate is taken over: a second alone has too few look-ups. */
const HIT_RATE_SAMPLES = 10;

/** The charts of a cache, drawn anew with each sample. */
export class Charts {
  #host;
  /** @type {Chart[]} */
  #charts = [];
  #drawnFor = "";
  /** @type {{ model: CacheModel, rangeS: number } | null} */
  #shown = null;
  /** Samples that are shown. */
  #length = 0;
  /** Samples that lie after the one that is read; `null`: the last is read. @type {number | null} */
  #cursor = null;

  /** @param {HTMLElement} host */
  constructor(host) {
    this.#host = host;
  }

  /**
   * @param {CacheModel} model
   * @param {number} rangeS seconds that are shown
   * @param {number} newSamples samples that came since the last time: the moment that is read stays where it is
   */
  draw(model, rangeS, newSamples) {
    this.#shown = { model, rangeS };
    if (this.#cursor !== null) this.#cursor += newSamples;
    this.#redraw();
  }

  #redraw() {
    if (this.#shown === null) return;
    const { model, rangeS } = this.#shown;
    const { first, ages } = agesWithin(model.dtS, rangeS);
    const specs = specsOf(model, first);
    this.#length = ages.length;
    const drawnFor = [model.name, ...specs.map(({ title }) => title)].join("\n");
    if (drawnFor !== this.#drawnFor) {
      this.#charts = specs.map((spec) => new Chart(spec, (index) => this.#read(index)));
      this.#host.replaceChildren(...this.#charts.map(({ figure }) => figure));
    }
    this.#drawnFor = drawnFor;
    if (this.#cursor !== null && this.#cursor >= ages.length) this.#cursor = null;
    const cursor = this.#cursor === null ? null : ages.length - 1 - this.#cursor;
    for (const [i, chart] of this.#charts.entries()) {
      const spec = specs[i];
      if (spec !== undefined) chart.draw(spec, { rangeS, ages, cursor });
    }
  }

  /** @param {number | null} index of those that are shown; `null`: the last */
  #read(index) {
    this.#cursor = index === null ? null : this.#length - 1 - index;
    this.#redraw();
  }
}

/** Seconds that each sample lies back, of those within `rangeS`. @param {readonly number[]} dtS @param {number} rangeS */
function agesWithin(dtS, rangeS) {
  const ages = [];
  let age = 0;
  let first = dtS.length;
  while (first > 0 && age <= rangeS) {
    first--;
    ages.unshift(age);
    age += dtS[first] ?? 0;
  }
  return { first, ages };
}

/** @param {CacheModel} model @param {number} first index of the first sample that is shown @returns {ChartSpec[]} */
function specsOf(model, first) {
  const { tiers, primary } = model.stats;
  const cut = (/** @type {Values} */ values) => values.slice(first);
  const byTier = (/** @type {(i: number) => Values} */ valuesOf) =>
    tiers.map(({ label }, i) => ({ label, look: i, values: cut(valuesOf(i)) }));
  const rates = (/** @type {keyof TierSample} */ name) => byTier((i) => model.rates(model.tier(i, name)));
  const hitRates = [
    { label: primary.label, look: -1, values: cut(movingShare(model.pool("hits"), model.pool("queries"))) },
    ...byTier((i) => movingShare(model.tier(i, "hits"), model.tier(i, "queries"))),
  ];
  const busy = model.pool("busy");
  const pool = [
    { label: "filled", look: -1, values: cut(model.pool("idle").map((idle, i) => (idle ?? 0) + (busy[i] ?? 0))) },
    { label: "of these in use", look: 0, values: cut(busy) },
  ];
  const pressed = tiers.flatMap(({ label, pressure }, i) =>
    pressure === null ? [] : [{ label: `${label} under pressure`, look: i, values: cut(model.tier(i, "pressure")) }],
  );
  const isBytes = true;
  return [
    { title: "Hit rate", note: "share of look-ups, over 10 s", series: hitRates, format: percent, top: 1 },
    { title: "Pool", note: "blocks", series: pool, format: count, top: primary.capacityBlocks },
    ...(tiers.length === 0
      ? []
      : [
          {
            title: "Stored to tiers",
            note: "bytes a second",
            series: rates("bytesWritten"),
            format: byteRate,
            isBytes,
          },
          { title: "Loaded from tiers", note: "bytes a second", series: rates("bytesRead"), format: byteRate, isBytes },
          {
            title: "Queues",
            note: "waiting and running",
            series: byTier((i) => model.tier(i, "queued")),
            format: count,
          },
          {
            title: "Drops and pressure",
            note: "dropped blocks a second",
            series: rates("blocksDropped"),
            format: count,
            strips: pressed,
          },
        ]),
    ...tiers.flatMap((_, i) => latencySpec(model, i, cut)),
  ];
}

/** Of a tier whose detector measures something. @param {CacheModel} model @param {number} i @param {(values: Values) => Values} cut @returns {ChartSpec[]} */
function latencySpec(model, i, cut) {
  const tier = model.stats.tiers[i];
  if (tier?.pressure?.reading == null) return [];
  const { unit, high, low } = tier.pressure.reading;
  const format = inUnit(unit);
  return [
    {
      title: `Pressure gauge of ${tier.label}`,
      note: `${unit === "s/MiB" ? "average store latency" : unit} against its watermarks`,
      series: [{ label: "average", look: i, values: cut(model.tier(i, "reading")) }],
      format,
      marks: [
        { label: `high ${format(high)}`, value: high },
        { label: `low ${format(low)}`, value: low },
      ],
      strips: [{ label: "under pressure", look: i, values: cut(model.tier(i, "pressure")) }],
    },
  ];
}

/** @param {Values} hits @param {Values} queries @returns {Values} `null` where nothing was looked up */
function movingShare(hits, queries) {
  const sumTo = (/** @type {Values} */ column, /** @type {number} */ i) =>
    column
      .slice(Math.max(0, i + 1 - HIT_RATE_SAMPLES), i + 1)
      .reduce((/** @type {number} */ all, value) => all + (value ?? 0), 0);
  return queries.map((_, i) => {
    const asked = sumTo(queries, i);
    return asked === 0 ? null : sumTo(hits, i) / asked;
  });
}
