import { parseArgs } from "node:util";
import { ROWS } from "../rows.mjs";
import { DEFAULT_OPTIONS } from "./bench.mjs";

/** @import { BenchOptions } from "./bench.mjs" */
/** @import { Row } from "../rows.mjs" */

/**
 * @typedef {object} BenchArguments
 * @property {boolean} json
 * @property {boolean} write
 * @property {readonly Row[]} rows
 * @property {BenchOptions} options
 */

/** @param {readonly string[]} args @returns {BenchArguments} */
export function readArguments(args) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      dir: { type: "string", default: DEFAULT_OPTIONS.dir },
      rounds: { type: "string", default: String(DEFAULT_OPTIONS.rounds) },
      sizes: { type: "string", default: "" },
      trace: { type: "string" },
    },
  });
  const wanted = positionals.map((name) => name.toLowerCase());
  const rows = ROWS.filter(({ id }) => wanted.length === 0 || wanted.includes(id.toLowerCase()));
  const unknown = wanted.filter((name) => !ROWS.some(({ id }) => id.toLowerCase() === name));
  if (unknown.length > 0) throw new Error(`No bench is called ${unknown.join(", ")}. See bench/README.md.`);
  return {
    json: values.json,
    write: values.write,
    rows,
    options: {
      dir: values.dir,
      rounds: wholeNumber("--rounds", values.rounds),
      sizes: values.sizes
        .split(",")
        .filter((text) => text !== "")
        .map(bytesOf),
      trace: values.trace ?? process.env.KVTIER_BENCH_TRACE ?? null,
    },
  };
}

const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20 };

/** `64KiB` for whole KiB, `640256B` for what is none. @param {number} bytes */
export function sizeName(bytes) {
  const unit = bytes % UNITS.MiB === 0 ? "MiB" : bytes % UNITS.KiB === 0 ? "KiB" : "B";
  return `${bytes / UNITS[unit]}${unit}`;
}

/** @param {string} text */
function bytesOf(text) {
  const [, count, unit = "B"] = /^(\d+)(B|KiB|MiB)?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`--sizes: '${text}' is no size, such as 640256 or 256KiB.`);
  return Number(count) * UNITS[/** @type {keyof typeof UNITS} */ (unit)];
}

/** @param {string} name @param {string} text */
function wholeNumber(name, text) {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`${name}: '${text}' is no whole number above 0.`);
  return Number(text);
}
