import { svg } from "./dom.js";

/** How the pool and each tier are drawn: by a colour of the style sheet and by a pattern, so that none needs colour. */
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "4 4", "1 4"];

/** @param {number} index of the tier; -1 is the pool @returns {{ class: string, "stroke-dasharray": string }} */
export function look(index) {
  return {
    class: `look-${index < 0 ? "pool" : index % 6}`,
    "stroke-dasharray": index < 0 ? "" : (DASHES[index % 6] ?? ""),
  };
}

/** A piece of the line, for a legend. @param {number} index */
export function swatch(index) {
  const line = svg("line", { x1: 0, y1: 5, x2: 24, y2: 5, "stroke-width": 3, ...look(index) });
  return svg("svg", { width: 24, height: 10, "aria-hidden": "true", class: "swatch" }, line);
}
