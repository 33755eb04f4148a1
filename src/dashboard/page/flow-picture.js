import { setAttributes, setText, svg } from "./dom.js";
import { byteRate, bytes, count, duration, percent } from "./format.js";
import { look } from "./looks.js";
import { MINUTE_S } from "./model.js";

/** @typedef {import("./model.js").CacheModel} CacheModel */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {(model: CacheModel) => void} Update */

/** Below so many pixels the tiers stand under the pool instead of beside it. */
const WIDE = 720;
const GAP = 16;
const BAR_HEIGHT = 14;

/** The pool, the tiers, and between them what flows right now. Its words stand in the table of tiers too. */
export class FlowPicture {
  #host;
  #picture = svg("svg", { role: "img" });
  /** @type {Update[]} */
  #updates = [];
  #drawnFor = "";

  /** @param {HTMLElement} host */
  constructor(host) {
    this.#host = host;
    host.append(this.#picture);
  }

  /** @param {CacheModel} model */
  draw(model) {
    const width = Math.max(280, this.#host.clientWidth);
    const drawnFor = [model.name, width, ...model.stats.tiers.map(({ label }) => label)].join("\n");
    if (drawnFor !== this.#drawnFor) this.#layOut(model, width);
    this.#drawnFor = drawnFor;
    for (const update of this.#updates) update(model);
    setAttributes(this.#picture, { "aria-label": summary(model) });
  }

  /** @param {CacheModel} model @param {number} width */
  #layOut({ stats: { tiers } }, width) {
    this.#updates = [];
    this.#picture.replaceChildren();
    const bottom = width < WIDE ? this.#layOutBelow(tiers.length, width) : this.#layOutBeside(tiers.length, width);
    setAttributes(this.#picture, { width, height: bottom + 2, viewBox: `0 0 ${width} ${bottom + 2}` });
  }

  /** @param {number} numTiers @param {number} width @returns {number} the height */
  #layOutBeside(numTiers, width) {
    const [poolWidth, tierWidth] = [Math.min(270, width * 0.28), Math.min(330, width * 0.34)];
    const tierHeight = 94;
    const height = Math.max(132, numTiers * (tierHeight + GAP) - GAP);
    this.#drawPool({ x: 1, y: 1, width: poolWidth, height });
    for (let i = 0; i < numTiers; i++) {
      const y = 1 + i * (tierHeight + GAP);
      const [left, right] = [poolWidth + 5, width - tierWidth - 5];
      this.#drawTier(i, { x: width - tierWidth - 1, y, width: tierWidth, height: tierHeight });
      this.#drawFlow(i, "bytesWritten", `M${left} ${y + 36}H${right - 6}`, arrow(right, y + 36, 0));
      this.#drawFlow(i, "bytesRead", `M${right} ${y + 76}H${left + 6}`, arrow(left, y + 76, 180));
      const middle = (left + right) / 2;
      this.#flowText(i, "bytesWritten", "stored ", { x: middle, y: y + 25, "text-anchor": "middle" });
      this.#flowText(i, "bytesRead", "loaded ", { x: middle, y: y + 65, "text-anchor": "middle" });
    }
    return height;
  }

  /** @param {number} numTiers @param {number} width @returns {number} the height */
  #layOutBelow(numTiers, width) {
    const [poolHeight, tierHeight, indent] = [122, 130, 34];
    this.#drawPool({ x: 1, y: 1, width: width - 2, height: poolHeight });
    for (let i = 0; i < numTiers; i++) {
      const y = poolHeight + GAP + i * (tierHeight + GAP);
      const [stored, loaded, top] = [y + 88, y + 111, poolHeight + 4];
      this.#drawTier(i, { x: indent, y, width: width - indent - 1, height: tierHeight });
      this.#drawFlow(i, "bytesWritten", `M9 ${top}V${stored}H${indent - 10}`, arrow(indent - 4, stored, 0));
      this.#drawFlow(i, "bytesRead", `M${indent - 4} ${loaded}H20V${top + 6}`, arrow(20, top, 270));
      this.#flowText(i, "bytesWritten", "→ stored ", { x: indent + 12, y: stored + 4 });
      this.#flowText(i, "bytesRead", "← loaded ", { x: indent + 12, y: loaded + 4 });
    }
    return poolHeight + numTiers * (tierHeight + GAP);
  }

  /** @param {Box} box */
  #drawPool(box) {
    this.#box(box);
    const [x, width] = [box.x + 14, box.width - 28];
    this.#text("strong", { x, y: box.y + 26 }, () => "Pool");
    this.#text("", { x, y: box.y + 46 }, ({ stats, blockBytes }) => {
      return `${count(stats.primary.capacityBlocks)} blocks of ${bytes(blockBytes)}`;
    });
    const bar = { y: box.y + 58, height: BAR_HEIGHT };
    this.#picture.append(svg("rect", { class: "bar-free", x, width, ...bar }));
    const idle = svg("rect", { class: "bar-idle", x, ...bar });
    const busy = svg("rect", { class: "bar-busy", x, ...bar });
    this.#picture.append(idle, busy);
    this.#updates.push(({ slots }) => {
      setAttributes(idle, { width: (width * (slots.busy + slots.idle)) / slots.all });
      setAttributes(busy, { width: (width * slots.busy) / slots.all });
    });
    this.#text("", { x, y: box.y + 90 }, ({ slots }) => {
      return `${count(slots.busy)} in use · ${count(slots.idle)} idle · ${count(slots.free)} free`;
    });
    this.#text("", { x, y: box.y + 109 }, (model) => {
      return `Hit rate ${percent(model.share(model.pool("hits"), model.pool("queries"), MINUTE_S))}`;
    });
  }

  /** @param {number} i @param {Box} box */
  #drawTier(i, box) {
    const frame = this.#box(box);
    const x = box.x + 14;
    this.#picture.append(
      svg("line", { x1: x, x2: x + 22, y1: box.y + 21, y2: box.y + 21, "stroke-width": 3, ...look(i) }),
    );
    this.#text("strong", { x: x + 30, y: box.y + 26 }, ({ stats }) => stats.tiers[i]?.label ?? "");
    const state = this.#text("state", { x: box.x + box.width - 12, y: box.y + 26, "text-anchor": "end" }, (model) => {
      const { mark, text } = model.stateOf(i);
      return `${mark} ${text}`;
    });
    this.#updates.push((model) => {
      const { kind } = model.stateOf(i);
      setAttributes(frame, { class: `box ${kind}` });
      setAttributes(state, { class: `state ${kind}` });
    });
    this.#text("", { x, y: box.y + 50 }, (model) => {
      const rate = percent(model.share(model.tier(i, "hits"), model.tier(i, "queries"), MINUTE_S));
      return `Hit rate ${rate} · queue ${count(model.tier(i, "queued").at(-1) ?? 0)}`;
    });
    this.#text("", { x, y: box.y + 70 }, ({ stats }) => latencies(stats.tiers[i]));
  }

  /** @param {Box} box */
  #box(box) {
    const frame = svg("rect", { class: "box", rx: 8, ...box });
    this.#picture.append(frame);
    return frame;
  }

  /** A line that is thicker and faster the more flows, and still when nothing does. @param {number} i @param {"bytesRead" | "bytesWritten"} column @param {string} path @param {SVGElement} head */
  #drawFlow(i, column, path, head) {
    const line = svg("path", { d: path });
    this.#picture.append(line, head);
    this.#updates.push((model) => {
      const mib = model.rateNow(model.tier(i, column)) / 2 ** 20;
      const speed = mib === 0 ? "idle" : mib < 4 ? "slow" : mib < 64 ? "medium" : "fast";
      setAttributes(line, {
        class: `flow ${speed} ${column}`,
        "stroke-width": 1.5 + Math.min(4, Math.log2(1 + mib) / 2),
      });
      setAttributes(head, { class: `head ${speed} ${column}` });
    });
  }

  /** @param {number} i @param {"bytesRead" | "bytesWritten"} column @param {string} verb @param {Record<string, string | number>} place */
  #flowText(i, column, verb, place) {
    this.#text("flow-text", place, (model) => verb + flowText(model, i, column));
  }

  /** @param {string} kind @param {Record<string, string | number>} place @param {(model: CacheModel) => string} textOf */
  #text(kind, place, textOf) {
    const text = svg("text", { class: kind, ...place });
    this.#picture.append(text);
    this.#updates.push((model) => setText(text, textOf(model)));
    return text;
  }
}

/** Its point is at x, y. @param {number} x @param {number} y @param {number} degrees 0: it points to the right */
function arrow(x, y, degrees) {
  return svg("path", { d: "M0 0L-9 -5V5Z", transform: `translate(${x} ${y}) rotate(${degrees})` });
}

/** @param {CacheModel} model @param {number} i @param {"bytesRead" | "bytesWritten"} column */
function flowText(model, i, column) {
  const rate = model.rateNow(model.tier(i, column));
  return `${byteRate(rate)} · ${count(rate / model.blockBytes)} blocks/s`;
}

/** @param {import("./model.js").TierStats | undefined} tier */
function latencies(tier) {
  if (tier === undefined) return "";
  const { readLatencyS: read, writeLatencyS: write } = tier;
  const parts = [
    ...(write.count > 0 ? [`stores in ${duration(write.p50)}`] : []),
    ...(read.count > 0 ? [`loads in ${duration(read.p50)}`] : []),
  ];
  return parts.join(", ");
}

/** @param {CacheModel} model */
function summary(model) {
  const tiers = model.stats.tiers.map(({ label }, i) => {
    const { text } = model.stateOf(i);
    return `${label}: ${text}, stored ${flowText(model, i, "bytesWritten")}, loaded ${flowText(model, i, "bytesRead")}`;
  });
  return `The pool and its tiers. ${tiers.length === 0 ? "There is no secondary tier." : `${tiers.join(". ")}.`}`;
}
