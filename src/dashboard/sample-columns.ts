import type { CacheSample, PoolSample, TierSample } from "./sample.js";

/** Rows by column, so that a name is sent once. Without rows there are no columns. */
export type Columns<Row> = { readonly [Name in keyof Row]?: readonly Row[Name][] };

/** Samples of one cache, the oldest first; every column has as many entries as `dtS`. */
export interface SampleColumns {
  readonly dtS: readonly number[];
  readonly pool: Columns<PoolSample>;
  readonly tiers: readonly Columns<TierSample>[];
}

export function sampleColumns(samples: readonly CacheSample[], numTiers: number): SampleColumns {
  return {
    dtS: samples.map(({ dtS }) => dtS),
    pool: columnsOf(samples.map(({ pool }) => pool)),
    tiers: Array.from({ length: numTiers }, (_, i) => columnsOf(samples.flatMap(({ tiers }) => tiers[i] ?? []))),
  };
}

function columnsOf<Row extends object>(rows: readonly Row[]): Columns<Row> {
  const names = Object.keys(rows[0] ?? {}) as (keyof Row)[];
  const columns: { [Name in keyof Row]?: Row[Name][] } = {};
  for (const name of names) columns[name] = rows.map((row) => row[name]);
  return columns;
}
