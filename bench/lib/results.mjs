import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { keyOf, verdictOf } from "./figure.mjs";
import { cellsOf, HEAD } from "./table.mjs";

/** @import { Figure } from "./figure.mjs" */

/**
 * The figures as a page: where and when they were taken, the table, and what there is to say of those that miss their
 * target. That stands in `notes.json`, by the figure's key or by the beginning of it.
 *
 * @param {readonly Figure[]} figures
 * @param {{ date: Date, dir: string }} run
 */
export function resultsPage(figures, { date, dir }) {
  const missed = figures.filter((figure) => verdictOf(figure).met === false);
  const remarks = figures.filter(({ remark }) => remark !== undefined);
  const judged = figures.filter((figure) => verdictOf(figure).met !== null);
  return `# Results of one run of \`npm run bench\`

${[
  `- Date: ${date.toISOString().slice(0, 10)}`,
  `- Machine: ${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`,
  `- Node: ${process.version}`,
  `- Files: ${dir === "" ? "unknown" : dir}`,
  `- Targets met: ${judged.length - missed.length} of ${judged.length}`,
].join("\n")}

What each figure means stands in [README.md](README.md).

${tableRow(HEAD)}
${tableRow(HEAD.map(() => "---"))}
${figures.map((figure) => tableRow(cellsOf(figure))).join("\n")}
${section("Targets that were missed", missed, (figure) => noteOf(keyOf(figure)) ?? "not explained yet")}${section("Remarks", remarks, ({ remark }) => remark ?? "")}`;
}

/** @param {string} title @param {readonly Figure[]} figures @param {(figure: Figure) => string} textOf */
function section(title, figures, textOf) {
  if (figures.length === 0) return "";
  return `\n## ${title}\n\n${figures.map((figure) => `- \`${keyOf(figure)}\`: ${textOf(figure)}\n`).join("")}`;
}

/** @param {readonly string[]} cells */
function tableRow(cells) {
  return `| ${cells.join(" | ")} |`;
}

/** @type {Record<string, string>} */
const NOTES = JSON.parse(readFileSync(new URL("../notes.json", import.meta.url), "utf8"));

/** The note whose key says most of `key`. @param {string} key */
function noteOf(key) {
  const [best] = Object.entries(NOTES)
    .filter(([prefix]) => key === prefix || key.startsWith(`${prefix}.`))
    .toSorted(([a], [b]) => b.length - a.length);
  return best?.[1];
}
