import { html, setAttributes, setText, svg } from "./dom.js";
import { ago } from "./format.js";
import { look, swatch } from "./looks.js";
import { niceTop } from "./scale.js";

/** @typedef {import("./model.js").Values} Values */
/** @typedef {{ label: string, look: number, values: Values }} Series */
/**
 * @typedef {object} ChartSpec
 * @property {string} title
 * @property {string} note what is shown, in a few words
 * @property {readonly Series[]} series
 * @property {(value: number) => string} format
 * @property {boolean} [isBytes] the scale goes by powers of 1024
 * @property {number} [top] end of the scale; absent: what the values need
 * @property {readonly { label: string, value: number }[]} [marks] levels to compare with
 * @property {readonly Series[]} [strips] times during which something was so (1), below the plot
 */
/**
 * What all charts show at once.
 * @typedef {object} TimeWindow
 * @property {number} rangeS
 * @property {readonly number[]} ages seconds that each sample lies back, the oldest first
 * @property {number | null} cursor index of the sample that is read; `null`: the last
 */

const [PLOT_HEIGHT, TOP, LEFT, RIGHT, STRIP] = [132, 12, 76, 8, 12];
/** Room for the name of a mark: names stand side by side, since marks may lie close together. */
const MARK_WIDTH = 110;
/** Moments in the table, as shares of the range. */
const ROWS = [0, 1 / 60, 1 / 30, 1 / 12, 1 / 6, 1 / 3, 1 / 2, 2 / 3, 1];

/** Lines over time with a legend that tells values, a cursor for pointer and keys, and a table of the same. */
export class Chart {
  figure;
  /** @type {ChartSpec} */
  #spec;
  /** @type {TimeWindow} */
  #window = { rangeS: 60, ages: [], cursor: null };
  #moveCursor;
  #title = html("h3");
  #note = html("p", { class: "hint" });
  #legend = html("ul", { class: "legend" });
  #plot = svg("svg", { role: "slider", tabindex: 0, "aria-valuemax": 0, class: "plot", height: 0 });
  #table = html("tbody");
  #head = html("tr");
  #details;

  /** @param {ChartSpec} spec @param {(index: number | null) => void} moveCursor */
  constructor(spec, moveCursor) {
    this.#spec = spec;
    this.#moveCursor = moveCursor;
    const caption = html("figcaption", {}, this.#title, this.#note);
    const table = html("table", {}, html("thead", {}, this.#head), this.#table);
    this.#details = html("details", {}, html("summary", {}, "As a table"), table);
    this.figure = html("figure", { class: "card" }, caption, this.#legend, this.#plot, this.#details);
    this.#details.addEventListener("toggle", () => this.#fillTable());
    this.#plot.addEventListener("pointermove", (event) => this.#moveCursor(this.#indexAt(event.offsetX)));
    this.#plot.addEventListener("pointerleave", () => this.#moveCursor(null));
    this.#plot.addEventListener("keydown", (event) => this.#onKey(event));
    this.#plot.addEventListener("focus", () => this.#tellValue());
  }

  /** @param {ChartSpec} spec @param {TimeWindow} window */
  draw(spec, window) {
    const isMoved = window.cursor !== this.#window.cursor;
    this.#spec = spec;
    this.#window = window;
    setText(this.#title, spec.title);
    setText(this.#note, spec.note);
    setAttributes(this.#plot, { "aria-label": `${spec.title}: moment to read`, "aria-valuemin": -window.rangeS });
    this.#fillLegend();
    this.#drawPlot();
    if (this.#details.open) this.#fillTable();
    // Not at every sample: a screen reader would read it out once a second.
    if (isMoved || !this.#plot.hasAttribute("aria-valuetext")) this.#tellValue();
  }

  get #width() {
    return Math.max(200, this.#plot.clientWidth);
  }

  /** The sample that is read. */
  get #index() {
    return this.#window.cursor ?? this.#window.ages.length - 1;
  }

  /** @param {Series} series @param {number} index */
  #textOf({ values }, index) {
    const value = values[index];
    return value == null ? "–" : this.#spec.format(value);
  }

  #fillLegend() {
    const { series, strips = [] } = this.#spec;
    const entries = [
      ...series.map((one) => ({ look: one.look, label: one.label, text: this.#textOf(one, this.#index) })),
      ...strips.map((one) => ({ look: one.look, label: one.label, text: one.values[this.#index] ? "yes" : "no" })),
    ];
    if (this.#legend.children.length !== entries.length) {
      this.#legend.replaceChildren(
        ...entries.map(({ look }, i) => {
          const mark =
            i < series.length ? swatch(look) : html("span", { class: "strip-swatch", "aria-hidden": "true" });
          return html("li", {}, mark, html("span"), html("b"));
        }),
      );
    }
    for (const [i, { label, text }] of entries.entries()) {
      const [, name, value] = this.#legend.children[i]?.children ?? [];
      if (name !== undefined) setText(name, label);
      if (value !== undefined) setText(value, text);
    }
  }

  #drawPlot() {
    const { series, marks = [], strips = [], format, isBytes = false } = this.#spec;
    const { ages, rangeS, cursor } = this.#window;
    const width = this.#width;
    const height = TOP + PLOT_HEIGHT + strips.length * STRIP + 20;
    const right = width - RIGHT;
    const values = series.flatMap(({ values }) => values.map((value) => value ?? 0));
    // Above the highest mark there is room for its name.
    const highest = Math.max(0, ...values, ...marks.map(({ value }) => value * 1.1));
    const top = this.#spec.top ?? niceTop(highest, isBytes);
    const x = (/** @type {number} */ age) => right - ((right - LEFT) * age) / rangeS;
    const y = (/** @type {number} */ value) => TOP + PLOT_HEIGHT * (1 - value / top);
    /** @type {SVGElement[]} */
    const parts = [0, 0.5, 1].flatMap((share) => [
      svg("line", { class: "grid", x1: LEFT, x2: right, y1: y(share * top), y2: y(share * top) }),
      svg("text", { class: "axis", x: LEFT - 6, y: y(share * top) + 4, "text-anchor": "end" }, format(share * top)),
    ]);
    for (const [i, { label, value }] of marks.entries()) {
      parts.push(svg("line", { class: "mark", x1: LEFT, x2: right, y1: y(value), y2: y(value) }));
      parts.push(svg("text", { class: "axis mark-label", x: LEFT + 4 + i * MARK_WIDTH, y: y(value) - 3 }, label));
    }
    for (const one of series) {
      parts.push(
        svg("path", { d: linePath(one.values, ages, x, y), fill: "none", "stroke-width": 2, ...look(one.look) }),
      );
    }
    for (const [i, { values }] of strips.entries()) {
      parts.push(svg("path", { class: "strip", d: stripPath(values, ages, x, TOP + PLOT_HEIGHT + 5 + i * STRIP) }));
    }
    const base = height - 4;
    parts.push(svg("text", { class: "axis", x: LEFT, y: base }, ago(rangeS)));
    parts.push(svg("text", { class: "axis", x: right, y: base, "text-anchor": "end" }, "now"));
    const age = cursor === null ? undefined : ages[cursor];
    if (age !== undefined) {
      parts.push(svg("line", { class: "cursor", x1: x(age), x2: x(age), y1: TOP, y2: TOP + PLOT_HEIGHT }));
      const anchor = age > rangeS / 2 ? "start" : "end";
      parts.push(svg("text", { class: "axis", x: x(age), y: TOP, "text-anchor": anchor }, ago(age)));
    }
    setAttributes(this.#plot, { viewBox: `0 0 ${width} ${height}`, height });
    this.#plot.replaceChildren(...parts);
  }

  #tellValue() {
    const age = this.#window.ages[this.#index] ?? 0;
    const values = this.#spec.series.map((one) => `${one.label} ${this.#textOf(one, this.#index)}`);
    const text = `${ago(age)}: ${values.join(", ")}`;
    setAttributes(this.#plot, { "aria-valuenow": -Math.round(age), "aria-valuetext": text });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { ages, rangeS } = this.#window;
    const step = event.shiftKey ? 10 : 1;
    const first = ages.findIndex((age) => age <= rangeS);
    /** @type {Record<string, number | null>} */
    const targets = {
      ArrowLeft: this.#index - step,
      ArrowDown: this.#index - step,
      ArrowRight: this.#index + step,
      ArrowUp: this.#index + step,
      PageDown: this.#index - 10,
      PageUp: this.#index + 10,
      Home: first,
      End: null,
      Escape: null,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    const isPastNow = target === null || target >= ages.length - 1;
    this.#moveCursor(isPastNow ? null : Math.max(first, target));
  }

  /** @param {number} offset pixels from the left edge of the plot */
  #indexAt(offset) {
    const { ages, rangeS } = this.#window;
    const width = this.#width - LEFT - RIGHT;
    const age = rangeS * (1 - (offset - LEFT) / width);
    const index = ages.findIndex((one) => one <= age);
    return index === -1 || index === ages.length - 1 ? null : index;
  }

  #fillTable() {
    const { series } = this.#spec;
    const { ages, rangeS } = this.#window;
    const head = ["When", ...series.map(({ label }) => label)];
    if (this.#head.textContent !== head.join("")) {
      this.#head.replaceChildren(...head.map((name) => html("th", { scope: "col" }, name)));
    }
    const indexes = ROWS.map((share) => ages.findLastIndex((age) => age >= share * rangeS - 0.5)).filter((i) => i >= 0);
    this.#table.replaceChildren(
      ...indexes.map((i) => {
        const cells = series.map((one) => html("td", {}, this.#textOf(one, i)));
        return html("tr", {}, html("th", { scope: "row" }, ago(ages[i] ?? 0)), ...cells);
      }),
    );
  }
}

/** A line with a gap wherever there is no value. @param {Values} values @param {readonly number[]} ages @param {(age: number) => number} x @param {(value: number) => number} y */
function linePath(values, ages, x, y) {
  let path = "";
  let isOpen = false;
  for (const [i, value] of values.entries()) {
    const age = ages[i];
    if (value === null || age === undefined) {
      isOpen = false;
      continue;
    }
    // A value with a gap on both sides is a dot.
    const isLone = !isOpen && values[i + 1] == null;
    path += `${isOpen ? "L" : "M"}${x(age).toFixed(1)} ${y(value).toFixed(1)}${isLone ? "h1" : ""}`;
    isOpen = true;
  }
  return path;
}

/** @param {Values} values @param {readonly number[]} ages @param {(age: number) => number} x @param {number} y */
function stripPath(values, ages, x, y) {
  let path = "";
  for (const [i, value] of values.entries()) {
    const age = ages[i];
    if (!value || age === undefined) continue;
    path += `M${x(ages[i - 1] ?? age).toFixed(1)} ${y}H${x(age).toFixed(1)}`;
  }
  return path;
}
