import { formatByteSize } from "../../config/byte-size.js";
import { formatSeconds, formatTable, NONE } from "../format.js";
import { IN_FLIGHT, type BenchPass } from "./bench-run.js";
import { percentilesOf, type Percentiles } from "./percentiles.js";
import { recommendWatermarks, type Watermarks } from "./watermarks.js";

/** One direction of a tier. */
export interface BenchRate {
  /** 10^9 bytes a second. */
  readonly gbPerS: number;
  readonly blocksPerS: number;
  /** Seconds of one request's blocks, from the call to the last of them, with others in flight. */
  readonly latencyS: Percentiles;
}

/** What was measured of a tier that works. */
export interface BenchFigures {
  readonly store: BenchRate;
  readonly load: BenchRate;
  readonly watermarks: Watermarks;
}

/** What `bench --json` prints of a tier. */
export interface TierBench {
  /** Position in `secondary_tiers`, from 0. */
  readonly index: number;
  readonly type: string;
  readonly ok: boolean;
  /** `null` when the tier does not work. */
  readonly figures: BenchFigures | null;
  /** Whether every block of the bench is gone again. */
  readonly cleanedUp: boolean;
  /** What failed; `null` when nothing did. */
  readonly problem: string | null;
  /** Warnings and errors that it logged. */
  readonly log: readonly string[];
}

/** What `bench --json` prints. */
export interface BenchResult {
  readonly ok: boolean;
  readonly blockBytes: number;
  /** Blocks of one request, and requests in flight at once. */
  readonly requestBlocks: number;
  readonly inFlight: number;
  readonly tiers: readonly TierBench[];
}

/** @param passes at least one */
export function figuresOf(passes: readonly BenchPass[], blockBytes: number): BenchFigures {
  const stores = passes.flatMap(({ store }) => store.samples);
  const rate = (parts: readonly { blocks: number; seconds: number }[], latencies: readonly number[]): BenchRate => {
    const blocksPerS = sum(parts.map(({ blocks }) => blocks)) / sum(parts.map(({ seconds }) => seconds));
    return { gbPerS: (blocksPerS * blockBytes) / 1e9, blocksPerS, latencyS: percentilesOf(latencies) };
  };
  return {
    store: rate(
      passes.map(({ store }) => store),
      stores.map(({ elapsedS }) => elapsedS),
    ),
    load: rate(
      passes.map(({ load }) => load),
      passes.flatMap(({ load }) => load.latenciesS),
    ),
    watermarks: recommendWatermarks(
      passes.flatMap(({ alone }) => alone),
      stores,
      IN_FLIGHT,
    ),
  };
}

/** The result as a table, and for each tier the marks as they stand in a config. */
export function benchText({ blockBytes, requestBlocks, inFlight, tiers }: BenchResult): string {
  if (tiers.length === 0) return "The config has no secondary tiers: there is nothing to measure.";
  const head = ["Tier", "", "GB/s", "Blocks/s", "p50", "p95", "p99"];
  const rows = tiers.flatMap(({ index, type, figures }) => [
    [`secondary_tiers[${index}] (${type})`, "store", ...rateCells(figures?.store)],
    ["", "load", ...rateCells(figures?.load)],
  ]);
  return [
    `Requests of ${requestBlocks} blocks of ${formatByteSize(blockBytes)}, up to ${inFlight} in flight, latencies of whole requests.`,
    "What is loaded was stored just before: a disk answers from memory, as far as the system has cached it.",
    formatTable(head, rows, "right"),
    ...tiers.flatMap(remarksOn),
  ].join("\n");
}

function rateCells(rate: BenchRate | undefined): string[] {
  if (rate === undefined) return [NONE, NONE, NONE, NONE, NONE];
  const { p50, p95, p99 } = rate.latencyS;
  const blocksPerS = Math.round(rate.blocksPerS).toLocaleString("en-US");
  return [String(Number(rate.gbPerS.toPrecision(3))), blocksPerS, ...[p50, p95, p99].map(formatSeconds)];
}

function remarksOn({ index, type, figures, problem, cleanedUp, log }: TierBench): string[] {
  const name = `secondary_tiers[${index}] (${type})`;
  const faults = [
    ...(problem === null ? [] : [problem]),
    ...log,
    ...(cleanedUp ? [] : ["blocks of the bench are still stored"]),
  ];
  const remarks = faults.map((text) => `${name}: ${text}`);
  if (figures === null) return remarks;
  const { reason, ...marks } = figures.watermarks;
  const snippet = { backpressure_cls: "EMABackpressureDetector", ...marks };
  return [
    ...remarks,
    `\n${name}: watermarks in s/MiB: ${reason}.`,
    `  "backpressure": ${JSON.stringify(snippet, null, 1).replaceAll("\n", "").replace(/\}$/, " }")}`,
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
