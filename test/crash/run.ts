import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CrashProcess } from "./crash-process.js";
import { CrashSeries, type SeriesOptions, type SeriesResult } from "./crash-series.js";
import type { OpenAndClose } from "./messages.js";

/**
 * Kills processes that use the tiers on disks, and looks at what they leave: `npm run test:crash -- [--rounds 200]
 * [--starts 300] [--seed 1] [--type fs]`. Ends with a line that says how it went, and exit code 1 when something is wrong.
 */
const { values } = parseArgs({
  options: {
    /** Kills for each type of tier. */
    rounds: { type: "string", default: "200" },
    /** Times that each type of tier is opened and closed. */
    starts: { type: "string", default: "300" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    type: { type: "string", multiple: true, default: ["fs", "log"] },
  },
});
const [rounds, starts, seed] = [Number(values.rounds), Number(values.starts), Number(values.seed)];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const SIZES = { "1000 B": 1000, "64 KiB": 2 ** 16, "1 MiB": 2 ** 20 };
/** Blocks there is room for, and those that want it. */
const [ROOM, BLOCKS] = [60, 200];
/** What a block takes on the disk besides its bytes: about that much, for a tier to be full with so many. */
const OVERHEAD_BYTES: Readonly<Record<string, number>> = { fs: 64, log: 1024 };

function optionsOf(type: string, maxBytes: number): Record<string, unknown> {
  return type === "fs"
    ? { max_bytes: maxBytes, temp_max_age_s: 1 }
    : { max_bytes: maxBytes, segment_bytes: Math.floor(maxBytes / 6) };
}

function seriesOf(type: string): SeriesOptions[] {
  const alone = Object.entries(SIZES).map(([name, blockBytes]) => ({ name: `${type}, ${name}`, blockBytes }));
  const series = alone.map((one) => ({ ...one, isShared: false }));
  if (type === "fs") series.push({ name: "fs, 64 KiB, with a neighbour", blockBytes: 2 ** 16, isShared: true });
  return series.map(({ name, blockBytes, isShared }, i) => {
    const maxBytes = ROOM * (blockBytes + (OVERHEAD_BYTES[type] ?? 0));
    return {
      name,
      plan: { type, blockBytes, isShared, blocks: BLOCKS, options: optionsOf(type, maxBytes) },
      maxBytes,
      rounds: Math.ceil((rounds * (i + 1)) / series.length) - Math.ceil((rounds * i) / series.length),
      seed: seed + i,
    };
  });
}

/** A folder in which something went wrong is kept. */
async function runSeries(options: SeriesOptions): Promise<SeriesResult> {
  const root = await mkdtemp(join(tmpdir(), "kvtier-crash-"));
  const startedAt = Date.now();
  const result = await new CrashSeries(root, options).run();
  const { faults, killed, verified, full } = result;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  say(
    `${options.name}: ${killed} kills in ${seconds} s, ${verified} blocks verified, ${full} times full: ` +
      (faults.length === 0 ? "fine" : `${faults.length} faults, in ${root}\n  ${faults.slice(0, 20).join("\n  ")}`),
  );
  if (faults.length === 0) await rm(root, { recursive: true });
  return result;
}

async function runStarts(type: string): Promise<string[]> {
  const argument: OpenAndClose = { type, rounds: starts, seed };
  const faults = await new CrashProcess("open-and-close.js", argument).end().then(
    () => [],
    (error: unknown) => [String(error)],
  );
  say(`${type}, opened and closed ${starts} times: ${faults.length === 0 ? "fine" : faults.join()}`);
  return faults;
}

async function runType(type: string): Promise<{ faults: number; killed: number; verified: number }> {
  const total = { faults: (await runStarts(type)).length, killed: 0, verified: 0 };
  for (const options of seriesOf(type)) {
    const { faults, killed, verified } = await runSeries(options);
    total.faults += faults.length;
    total.killed += killed;
    total.verified += verified;
  }
  return total;
}

say(`seed ${seed}`);
const totals = await Promise.all(values.type.map(runType));
const sum = (name: "faults" | "killed" | "verified"): number => totals.reduce((all, total) => all + total[name], 0);
say(`${sum("killed")} kills, ${sum("verified")} blocks verified byte by byte, ${sum("faults")} faults (seed ${seed})`);
process.exitCode = sum("faults") === 0 ? 0 : 1;
