// Puts the files of the dashboard's page into dist, without comments and white space: they stay as they are otherwise, each
// a file of its own, and run in browsers as they do from src.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

/** @type {Record<string, import("esbuild").TransformOptions>} by the ending of a name */
const MINIFIED = {
  ".js": { loader: "js", format: "esm", target: "es2023", minifyWhitespace: true, charset: "utf8" },
  ".css": { loader: "css", minify: true },
};
const PLAIN = [".html", ".svg"];

const root = fileURLToPath(new URL("..", import.meta.url));
const source = path.join(root, "src/dashboard/page");
const target = path.join(root, "dist/dashboard/page");

mkdirSync(target, { recursive: true });
for (const name of readdirSync(source)) {
  const options = MINIFIED[path.extname(name)];
  if (options === undefined && !PLAIN.includes(path.extname(name))) continue;
  const text = readFileSync(path.join(source, name), "utf8");
  writeFileSync(path.join(target, name), options === undefined ? text : (await transform(text, options)).code);
}
