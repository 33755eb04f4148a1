import { writeFile } from "node:fs/promises";
import { format } from "prettier";
import { readArguments } from "./lib/arguments.mjs";
import { importFormat } from "./lib/built.mjs";
import { keyOf, verdictOf } from "./lib/figure.mjs";
import { resultsPage } from "./lib/results.mjs";
import { runRows } from "./lib/run-rows.mjs";
import { cellsOf, HEAD } from "./lib/table.mjs";

/** @import { BenchArguments } from "./lib/arguments.mjs" */

const { json, write, rows, options } = readOrExit();
const { figures, failures } = await runRows(rows, options);

if (json) console.log(JSON.stringify(Object.fromEntries(figures.map((figure) => [keyOf(figure), verdictOf(figure)]))));
else console.log((await importFormat()).formatTable(HEAD, figures.map(cellsOf)));
for (const figure of figures) if (figure.remark !== undefined) console.error(`${keyOf(figure)}: ${figure.remark}`);
if (write) {
  const page = resultsPage(figures, { date: new Date(), dir: options.dir });
  await writeFile(new URL("RESULTS.md", import.meta.url), await format(page, { parser: "markdown", printWidth: 120 }));
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

/** @returns {BenchArguments} */
function readOrExit() {
  try {
    return readArguments(process.argv.slice(2));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}
