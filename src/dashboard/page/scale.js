import { byteUnit } from "./format.js";

const STEPS = [1, 2, 4, 5, 8, 10];

/** The end of a scale from 0 that holds `highest`: a number that is easy to halve. @param {number} highest @param {boolean} isBytes */
export function niceTop(highest, isBytes) {
  if (!(highest > 0)) return isBytes ? 2 ** 20 : 1;
  const unit = isBytes ? byteUnit(highest).size : 1;
  const value = highest / unit;
  const power = 10 ** Math.floor(Math.log10(value));
  return unit * power * (STEPS.find((step) => step * power >= value) ?? 10);
}
