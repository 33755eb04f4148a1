/**
 * What a bench reports: one comparison, or one figure that stands alone.
 *
 * @typedef {object} Figure
 * @property {string} id the row it belongs to, as `P4`
 * @property {string} size what it was measured at: a block size, a batch, a number of blocks
 * @property {string} op what was done
 * @property {string | null} against the contestant; `null`: there is none
 * @property {string} unit of `ours` and `theirs`
 * @property {number | null} ours `null`: not run
 * @property {number | null} theirs
 * @property {Target | null} target of the ratio, or of `ours` where nobody stands against it; `null`: reported only
 * @property {string} [remark] why it was not run, or what the figure needs to be read rightly
 */

/** @typedef {{ readonly max: number } | { readonly min: number }} Target */

/** @typedef {{ ours: number | null, against: number | null, ratio: number | null, target: number | null, met: boolean | null }} Verdict */

/** @param {Figure} figure `<id>.<size>.<op>.<against>` */
export function keyOf({ id, size, op, against }) {
  return [id, size, op, against ?? "none"].join(".");
}

/** @param {Figure} figure @returns {Verdict} */
export function verdictOf({ ours, theirs, against, target }) {
  const ratio = ours === null || theirs === null ? null : ours / theirs;
  const judged = against === null ? ours : ratio;
  return {
    ours: rounded(ours),
    against: rounded(theirs),
    ratio: rounded(ratio),
    target: target === null ? null : "max" in target ? target.max : target.min,
    met: target === null || judged === null ? null : "max" in target ? judged <= target.max : judged >= target.min,
  };
}

/** @param {Figure} figure */
export function targetText({ target, against }) {
  if (target === null) return "";
  const times = against === null ? "" : " ×";
  return "max" in target ? `≤ ${target.max}${times}` : `≥ ${target.min}${times}`;
}

/** To four digits: the rest is noise. @param {number | null} value */
function rounded(value) {
  return value === null ? null : Number(value.toPrecision(4));
}
