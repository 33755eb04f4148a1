/** What stands for a figure that is not there. */
export const NONE = "–";

/** Between a number and its unit: no line ends there. */
const SPACE = "\u00a0";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** Three digits, and no more: `0.42`, `4.2`, `42`, `420`. @param {number} value */
function short(value) {
  if (value >= 100) return grouped.format(value);
  return String(Number(value.toFixed(value >= 10 ? 1 : 2)));
}

/** @param {number} value */
export function count(value) {
  return value >= 100_000
    ? `${short(value / (value >= 1e6 ? 1e6 : 1e3))}${SPACE}${value >= 1e6 ? "M" : "k"}`
    : short(value);
}

/** The largest unit of bytes that `value` has one of. @param {number} value */
export function byteUnit(value) {
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), UNITS.length - 1);
  return { size: 1024 ** power, name: UNITS[power] ?? "B" };
}

/** @param {number} value */
export function bytes(value) {
  const { size, name } = byteUnit(value);
  return `${short(value / size)}${SPACE}${name}`;
}

/** @param {number} value bytes a second */
export const byteRate = (value) => `${bytes(value)}/s`;

/** @param {number | null} value a share of 1 */
export const percent = (value) => (value === null ? NONE : `${short(100 * value)}${SPACE}%`);

/** @param {number} value seconds, of something short */
export function duration(value) {
  if (value <= 0) return `0${SPACE}s`;
  if (value < 1e-3) return `${short(value * 1e6)}${SPACE}µs`;
  return value < 1 ? `${short(value * 1e3)}${SPACE}ms` : `${short(value)}${SPACE}s`;
}

/** A figure of a detector in its own unit. @param {string} unit @returns {(value: number) => string} */
export function inUnit(unit) {
  return (value) =>
    unit.startsWith("s/") ? `${duration(value)}${unit.slice(1)}` : `${short(value)}${SPACE}${unit}`.trim();
}

/** @param {number} seconds */
export function ago(seconds) {
  const whole = Math.round(seconds);
  if (whole < 1) return "now";
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  return `${[minutes > 0 ? `${minutes} min` : "", rest > 0 ? `${rest} s` : ""].filter(Boolean).join(" ")} ago`;
}
