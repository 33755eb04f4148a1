// Joins the compiled modules into one file for each entry of the package and a few that they share: hundreds of small
// modules take longer to load than all else that happens at a start. Of the modules only those of worker threads are published.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Modules that the package's entries are made of, by the entry's name. @type {Record<string, string>} */
const entries = JSON.parse(readFileSync(new URL("entries.json", import.meta.url), "utf8"));
const dist = fileURLToPath(new URL("../dist", import.meta.url));

await build({
  absWorkingDir: dist,
  entryPoints: Object.fromEntries(Object.entries(entries).map(([name, module]) => [name, `${module}.js`])),
  outdir: "bundle",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  // Messages name classes.
  keepNames: true,
  chunkNames: "[hash]",
  plugins: [{ name: "own-urls", setup: (bundler) => bundler.onLoad({ filter: /\.js$/ }, ownUrls) }],
  logLevel: "warning",
});

/**
 * Every bundle lies in one folder, so that a module's URL, which its worker threads are found by, is the same from each.
 *
 * @param {{ path: string }} module
 */
function ownUrls({ path: file }) {
  const contents = readFileSync(file, "utf8");
  if (!file.startsWith(dist) || !contents.includes("import.meta.url")) return null;
  const relative = path.relative(path.join(dist, "bundle"), file).split(path.sep).join("/");
  return {
    contents: contents.replaceAll("import.meta.url", `new URL(${JSON.stringify(relative)}, import.meta.url).href`),
  };
}
