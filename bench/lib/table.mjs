import { targetText, verdictOf } from "./figure.mjs";

/** @import { Figure } from "./figure.mjs" */

export const HEAD = ["Row", "Size", "What", "Ours", "Against", "Theirs", "Ratio", "Target", "Met"];

/** @param {Figure} figure @returns {string[]} */
export function cellsOf(figure) {
  const { ours, against, ratio, met } = verdictOf(figure);
  return [
    figure.id,
    figure.size,
    figure.op,
    ours === null ? "not run" : `${ours} ${figure.unit}`,
    figure.against ?? "",
    against === null ? "" : `${against} ${figure.unit}`,
    ratio === null ? "" : ratio.toFixed(2),
    targetText(figure),
    met === null ? "" : met ? "yes" : "no",
  ];
}
