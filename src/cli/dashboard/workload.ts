import type { Tiering } from "../../cache/create-tiering.js";
import type { TieringConfig } from "../../config/tiering-config.js";
import type { Clock } from "../../contracts/clock.js";
import { reasonOf } from "../../errors/factory-errors.js";
import type { CliEnvironment } from "../cli-environment.js";
import { formatCount, formatShare } from "../format.js";
import { mismatchText } from "../replay/mismatch-text.js";
import { ReplayRun } from "../replay/replay-run.js";
import { TraceFile } from "../replay/trace-file.js";
import type { TraceRequest } from "../replay/trace-request.js";
import type { Report } from "../report.js";
import { demoRequests } from "./demo-requests.js";

/** What is run through the tiers while they are shown; neither: nothing. */
export interface WorkloadChoice {
  /** Path of a request trace. */
  readonly trace?: string;
  /** A generated workload that never ends. */
  readonly demo?: boolean;
}

export interface WorkloadParts {
  readonly tiering: Tiering;
  readonly environment: CliEnvironment;
  readonly report: Report;
  /** Aborted when the tiers are about to close: no request fails by that. */
  readonly signal: AbortSignal;
}

export interface Workload {
  /** @returns whether every request got right bytes and none failed */
  run(parts: WorkloadParts): Promise<boolean>;
  close(): Promise<void>;
}

/** Seconds between two requests of the demo: enough for something to happen in each second, and easy on the machine. */
const DEMO_PAUSE_S = 0.1;

/** @throws CliError when the trace cannot be read. */
export async function openWorkload({ trace, demo }: WorkloadChoice, config: TieringConfig): Promise<Workload> {
  const { blockBytes, numBlocks } = config;
  if (trace !== undefined) {
    const file = await TraceFile.open(trace);
    return { run: (parts) => play(file.requests(), 0, blockBytes, parts), close: () => file.close() };
  }
  if (demo !== true) return { run: async () => true, close: async () => {} };
  return {
    run: (parts) => play(demoRequests(numBlocks), DEMO_PAUSE_S, blockBytes, parts),
    close: async () => {},
  };
}

async function play(
  requests: AsyncIterable<TraceRequest> | Iterable<TraceRequest>,
  pauseS: number,
  blockBytes: number,
  { tiering, environment: { clock }, report, signal }: WorkloadParts,
): Promise<boolean> {
  const run = new ReplayRun(tiering, clock, blockBytes);
  try {
    for await (const request of requests) {
      if (signal.aborted) break;
      await run.play(request);
      if (run.counts.firstMismatch !== null) break;
      if (pauseS > 0) await pause(clock, pauseS, signal);
    }
  } catch (error) {
    // A request that was under way when the cache closed.
    if (signal.aborted) return true;
    report.note(`kvtier: the workload ended: ${reasonOf(error)}`);
    return false;
  }
  const { firstMismatch, requests: played, hits, lookedUp } = run.counts;
  if (firstMismatch !== null) {
    report.note(mismatchText(firstMismatch));
    return false;
  }
  const rate = formatShare(lookedUp === 0 ? 0 : hits / lookedUp);
  report.note(`kvtier: ${formatCount(played)} requests were run, prefix hit rate ${rate}`);
  return true;
}

async function pause(clock: Clock, seconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(seconds, end);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
