// Writes a small language model with seeded random weights: node make-model.mjs <file.gguf|file.onnx> [--layers 4] …
// Its text is noise, but its KV state is that of a real decoder. Both formats hold the same weights, and the same options
// always give the same bytes.
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { gguf } from "./model/gguf.mjs";
import { onnx } from "./model/onnx.mjs";
import { shapeOf, SIZES } from "./model/shape.mjs";

const FORMATS = { ".gguf": gguf, ".onnx": onnx };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries(Object.keys(SIZES).map((name) => [name, { type: /** @type {const} */ ("string") }])),
});
const [file = ""] = positionals;
const format = Object.entries(FORMATS).find(([extension]) => file.endsWith(extension));
if (format === undefined) {
  console.error(
    `usage: make-model.mjs <file.gguf|file.onnx> ${Object.keys(SIZES)
      .map((name) => `[--${name} <n>]`)
      .join(" ")}`,
  );
  process.exit(2);
}

const shape = shapeOf(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)])));
const bytes = format[1](shape);
mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
writeFileSync(file, bytes);
console.log(`${file}: ${(bytes.length / 2 ** 20).toFixed(1)} MiB, ${shape.layers} layers of ${shape.dim}`);
