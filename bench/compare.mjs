import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { importFormat } from "./lib/built.mjs";
import { median } from "./lib/race.mjs";
import { build, buildWorktree, ROOT } from "./lib/worktree.mjs";

/** @import { Verdict } from "./lib/figure.mjs" */

/** Runs of each side, in turn. Each has few rounds, as the runs are rounds themselves. */
const RUNS = 3;
const ROUNDS = "3";

/** @typedef {Readonly<Record<string, Verdict>>} Results */

const [ref, ...args] = process.argv.slice(2);
if (ref === undefined || ref.startsWith("-")) {
  console.error("Usage: npm run bench:compare <git ref> [-- <rows and options of npm run bench>]");
  process.exit(2);
}

build(ROOT);
const base = buildWorktree(ref);
process.once("SIGINT", () => {
  base.remove();
  process.exit(1);
});
try {
  /** @type {{ base: Results, branch: Results }[]} */
  const runs = [];
  for (let i = 0; i < RUNS; i++) {
    // Each side is first in every other run.
    if (i % 2 === 0) runs.push({ base: resultsOf(base.folder), branch: resultsOf(ROOT) });
    else {
      const branch = resultsOf(ROOT);
      runs.push({ base: resultsOf(base.folder), branch });
    }
  }
  const keys = Object.keys(runs[0]?.branch ?? {});
  const { formatTable } = await importFormat();
  console.log(
    formatTable(
      ["Figure", `At ${ref}`, "Here", "Here to there", "By ratios"],
      keys.map((key) => rowOf(key, runs)),
    ),
  );
} finally {
  base.remove();
}

/** One run of the benches. @param {string} folder @returns {Results} */
function resultsOf(folder) {
  console.error(`\n== ${folder === ROOT ? "here" : ref}`);
  const { stdout } = spawnSync(
    process.execPath,
    [join(folder, "bench/run.mjs"), "--json", "--rounds", ROUNDS, ...args],
    {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 2 ** 26,
    },
  );
  return /** @type {Results} */ (JSON.parse(stdout === "" ? "{}" : stdout));
}

/**
 * `Here to there` is the median over the runs of our figure here to that at `ref`; `By ratios` the same of the ratios to
 * the contestant of the same run, which what slows the machine for a while changes less.
 *
 * @param {string} key @param {readonly { base: Results, branch: Results }[]} runs
 */
function rowOf(key, runs) {
  const ours = runs.map(({ base, branch }) => [base[key]?.ours, branch[key]?.ours]);
  const ratios = runs.map(({ base, branch }) => [base[key]?.ratio, branch[key]?.ratio]);
  const middle = (/** @type {number} */ side) => {
    const values = ours.map((pair) => pair[side]).filter((value) => typeof value === "number");
    return values.length === 0 ? "not run" : String(median(values));
  };
  return [key, middle(0), middle(1), quotient(ours), quotient(ratios)];
}

/** @param {readonly (number | null | undefined)[][]} pairs */
function quotient(pairs) {
  const quotients = pairs.flatMap(([there, here]) => (there && typeof here === "number" ? [here / there] : []));
  return quotients.length === 0 ? "" : median(quotients).toFixed(2);
}
