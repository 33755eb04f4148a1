import { formatByteSize } from "../../config/byte-size.js";
import { createTiering } from "../../cache/create-tiering.js";
import { parseTieringConfig } from "../../factory/parse-tiering-config.js";
import type { CliEnvironment } from "../cli-environment.js";
import { lineLogger } from "../cli-logger.js";
import { closeTiering } from "../close-tiering.js";
import { ExitCode } from "../exit-code.js";
import { formatCount } from "../format.js";
import { loadConfig } from "../load-config.js";
import { moduleBoundsOf, type ModuleBounds } from "../module-bounds.js";
import type { Report } from "../report.js";
import { mismatchText } from "./mismatch-text.js";
import { ReplayProgress } from "./replay-progress.js";
import { replayResult, replayText } from "./replay-result.js";
import { ReplayRun } from "./replay-run.js";
import { TraceFile } from "./trace-file.js";
import { withBlockBytes } from "./with-block-bytes.js";

export interface ReplayOptions extends ModuleBounds {
  /** Path of the config file. */
  readonly config: string;
  /** Bytes of a block in place of the config's; the pool keeps its number of blocks. */
  readonly blockBytes?: number;
  /** Requests after which to stop. */
  readonly limit?: number;
}

/** Runs a request trace through the tiers of a config, with real bytes, and reports what they served. */
export async function replay(
  tracePath: string,
  options: ReplayOptions,
  environment: CliEnvironment,
  report: Report,
): Promise<ExitCode> {
  const loaded = await loadConfig(options.config, report);
  const config = options.blockBytes === undefined ? loaded.raw : withBlockBytes(loaded, options.blockBytes);
  const parsed = parseTieringConfig(config);
  const { blockBytes } = parsed;
  const trace = await TraceFile.open(tracePath);
  try {
    const { clock } = environment;
    const logger = lineLogger((line) => report.note(`kvtier: ${line}`));
    if (options.blockBytes !== undefined) {
      const { numBlocks } = parsed;
      report.note(
        `kvtier: a pool of ${formatCount(numBlocks)} blocks of ${formatByteSize(blockBytes)}, ${formatByteSize(numBlocks * blockBytes)} in all`,
      );
    }
    const tiering = await createTiering(config, { ...moduleBoundsOf(options), logger, clock });
    const run = new ReplayRun(tiering, clock, blockBytes);
    const startedAt = clock.now();
    let closed = false;
    try {
      await playAll(trace, run, options.limit ?? Infinity, new ReplayProgress(environment, report.isJson));
    } finally {
      closed = await closeTiering(tiering, report);
    }
    const stats = tiering.cache.stats();
    const result = replayResult(run.counts, stats, clock.now() - startedAt);
    if (result.firstMismatch !== null) report.note(mismatchText(result.firstMismatch));
    report.result(result, () => replayText(result, stats));
    return closed && result.verified.mismatches === 0 ? ExitCode.Ok : ExitCode.CheckFailed;
  } finally {
    await trace.close();
  }
}

async function playAll(trace: TraceFile, run: ReplayRun, limit: number, progress: ReplayProgress): Promise<void> {
  try {
    for await (const request of trace.requests()) {
      await run.play(request);
      const { counts } = run;
      if (counts.requests >= limit) return;
      progress.update(Math.max(counts.requests / limit, trace.size === 0 ? 0 : trace.bytesRead / trace.size), counts);
    }
  } finally {
    progress.stop();
  }
}
