import Table from "cli-table3";

/** Text for what is not there. */
export const NONE = "–";

export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** A share of 1 as a percentage with two decimals. */
export function formatShare(share: number): string {
  return `${(100 * share).toFixed(2)} %`;
}

/** Seconds in the unit that fits: `850 µs`, `3.2 ms`, `1.25 s`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 1e-3) return `${Math.round(seconds * 1e6)} µs`;
  return seconds < 1 ? `${Number((seconds * 1e3).toPrecision(3))} ms` : `${Number(seconds.toFixed(2))} s`;
}

/** A table without colours: it is read in pipes and logs too. Columns after the first are aligned as `align` says. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  align: "left" | "right" = "left",
): string {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (column === 0 ? "left" : align)),
    style: { head: [], border: [], compact: true },
  });
  for (const row of rows) table.push([...row]);
  return table.toString();
}
