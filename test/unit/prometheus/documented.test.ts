import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { FAMILIES } from "../../../src/prometheus/families.js";
import { metricName } from "../../../src/prometheus/metric-name.js";

const PREFIX = "kvtier_";
const read = (file: string): string => readFileSync(new URL(`../../../docs/${file}`, import.meta.url), "utf8");

/** What a query may name: of a histogram its series, of the others the metric. */
const SERIES = FAMILIES.flatMap((family) => {
  const name = metricName(PREFIX, family);
  return family.type === "histogram" ? ["bucket", "sum", "count"].map((series) => `${name}_${series}`) : [name];
});

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[];
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

const dashboard = JSON.parse(read("grafana/kvtier.json")) as { readonly panels: readonly Panel[] };
const exprs = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const namesIn = (text: string): string[] => [...text.matchAll(/\bkvtier_\w+/g)].map(([name]) => name);

describe("docs/metrics.md", () => {
  it("has a row for every metric, with its type, and for none that is not there", () => {
    const rows = [...read("metrics.md").matchAll(/^\| `(kvtier_\w+)` +\| (\w+) +\|/gm)].map(([, name, type]) => ({
      name,
      type,
    }));
    expect(rows).toEqual(FAMILIES.map((family) => ({ name: metricName(PREFIX, family), type: family.type })));
  });

  it("names metrics that exist in its queries", () => {
    const [, queries = ""] = /```promql\n([^`]+)```/.exec(read("metrics.md")) ?? [];
    expect(namesIn(queries)).not.toEqual([]);
    expect(namesIn(queries).filter((name) => !SERIES.includes(name))).toEqual([]);
  });
});

describe("The Grafana dashboard", () => {
  it("asks for metrics that exist", () => {
    expect(exprs.length).toBeGreaterThan(20);
    expect(exprs.flatMap(namesIn).filter((name) => !SERIES.includes(name))).toEqual([]);
  });

  it("shows every metric", () => {
    const shown = new Set(exprs.flatMap(namesIn));
    const missing = FAMILIES.map((family) => metricName(PREFIX, family)).filter(
      (name) => !shown.has(name) && !shown.has(`${name}_bucket`),
    );
    expect(missing).toEqual([]);
  });

  it("chooses the cache in every query, and balances its brackets", () => {
    for (const expr of exprs) {
      const selectors = expr.match(/kvtier_\w+\{[^}]*cache=~"\$cache"/g) ?? [];
      expect([expr, selectors.length]).toEqual([expr, namesIn(expr).length]);
      for (const [open, close] of ["()", "{}", "[]"]) {
        expect(expr.split(open ?? "").length).toBe(expr.split(close ?? "").length);
      }
    }
  });

  it("lays its panels out side by side, each with a title of its own", () => {
    const titles = dashboard.panels.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          const cell = `${x}/${y}`;
          expect([title, x < 24, taken.has(cell)]).toEqual([title, true, false]);
          taken.add(cell);
        }
      }
    }
  });
});
