import { readArguments } from "./lib/arguments.mjs";
import { importFormat } from "./lib/built.mjs";
import { keyOf, verdictOf } from "./lib/figure.mjs";
import { runRow } from "./lib/run-row.mjs";
import { cellsOf, HEAD } from "./lib/table.mjs";

/** @import { Figure } from "./lib/figure.mjs" */

const { json, rows, others, options } = readArguments(process.argv.slice(2));
if (others.length > 0) {
  console.error(`No bench is called ${others.join(", ")}. See bench/README.md.`);
  process.exit(2);
}

/** @type {Figure[]} */
const figures = [];
for (const row of rows) {
  console.error(`${row.id}: ${row.title}`);
  try {
    figures.push(...(await runRow(row, options)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

for (const { remark, ...figure } of figures) if (remark !== undefined) console.error(`${keyOf(figure)}: ${remark}`);
if (json) console.log(JSON.stringify(Object.fromEntries(figures.map((figure) => [keyOf(figure), verdictOf(figure)]))));
else console.log((await importFormat()).formatTable(HEAD, figures.map(cellsOf)));
