import { html } from "./dom.js";

/** @typedef {import("./model.js").CacheModel} CacheModel */
/** @typedef {import("./model.js").TierSample} TierSample */

/** Changes that are shown, the last first. */
const SHOWN = 30;
/** Samples without another one after which a drop or a failure is news again. */
const QUIET_SAMPLES = 10;

/** @type {readonly { column: keyof TierSample, begins: string, ends: string | null }[]} `ends`: it is a state */
const KINDS = [
  { column: "pressure", begins: "came under pressure", ends: "is no longer under pressure" },
  { column: "breakerOpen", begins: "does not answer: its breaker opened", ends: "answers again: its breaker closed" },
  { column: "stalled", begins: "stalled: everything that may run is overdue", ends: "is no longer stalled" },
  { column: "blocksDropped", begins: "drops stores", ends: null },
  { column: "failures", begins: "failed a transfer", ends: null },
];

/** Tells in words what changed, so that somebody who does not watch, or cannot see the charts, hears of it. */
export class Changes {
  #list;
  #none;

  /** @param {HTMLElement} list @param {HTMLElement} none what is shown while there is nothing */
  constructor(list, none) {
    this.#list = list;
    this.#none = none;
  }

  /** Begins anew, with another cache or another run. */
  clear() {
    // What happened before the page was opened is not read out.
    this.#list.removeAttribute("role");
    this.#list.replaceChildren();
  }

  /** @param {CacheModel} model @param {number} newSamples samples at its end that were not told of */
  tell(model, newSamples) {
    let ageS = 0;
    /** @type {{ ageS: number, text: string }[]} the last first */
    const changes = [];
    for (let i = model.dtS.length - 1; i >= model.dtS.length - newSamples; i--) {
      for (const text of changesAt(model, i)) changes.push({ ageS, text });
      ageS += model.dtS[i] ?? 0;
    }
    for (const { ageS, text } of changes.reverse()) this.#list.prepend(entry(ageS, text));
    while (this.#list.children.length > SHOWN) this.#list.lastElementChild?.remove();
    this.#none.hidden = this.#list.children.length > 0;
    this.#list.setAttribute("role", "log");
  }
}

/** @param {CacheModel} model @param {number} i index of a sample */
function changesAt(model, i) {
  return model.stats.tiers.flatMap(({ label }, tier) =>
    KINDS.flatMap(({ column, begins, ends }) => {
      const values = model.tier(tier, column);
      const isOn = (values[i] ?? 0) > 0;
      if (ends === null) {
        const before = values.slice(Math.max(0, i - QUIET_SAMPLES), i);
        return isOn && !before.some((value) => (value ?? 0) > 0) ? [`${label} ${begins}`] : [];
      }
      // What was so before all that is known has not changed here.
      const wasOn = i === 0 ? isOn : (values[i - 1] ?? 0) > 0;
      return isOn === wasOn ? [] : [`${label} ${isOn ? begins : ends}`];
    }),
  );
}

/** @param {number} ageS @param {string} text */
function entry(ageS, text) {
  const at = new Date(Date.now() - ageS * 1000);
  const time = html("time", { datetime: at.toISOString() }, at.toLocaleTimeString());
  return html("li", {}, time, ` ${text}`);
}
