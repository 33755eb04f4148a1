import type { TieringConfig } from "../../config/tiering-config.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { ownerOf } from "../../factory/tier-placement.js";
import type { CliEnvironment } from "../cli-environment.js";
import { lineLogger } from "../cli-logger.js";
import { within } from "../../contracts/within.js";
import { ExitCode } from "../exit-code.js";
import { loadConfig } from "../load-config.js";
import { moduleBoundsOf, type ModuleBounds } from "../module-bounds.js";
import type { Report } from "../report.js";
import { BenchProgress } from "./bench-progress.js";
import { benchText, figuresOf, type BenchFigures, type BenchResult, type TierBench } from "./bench-result.js";
import { openBenchRig } from "./bench-rig.js";
import { BenchRun, IN_FLIGHT } from "./bench-run.js";
import { ThrowawayRoot } from "./throwaway-root.js";

export interface BenchOptions extends ModuleBounds {
  /** Seconds to measure each tier for. */
  readonly seconds: number;
  /** Seconds that each step may take. */
  readonly timeout: number;
}

/** Blocks of one request, at most; large blocks come fewer at a time. */
const MAX_REQUEST_BLOCKS = 64;
/** Bytes of the pool, at most, and so of what the bench keeps in a tier at a time. */
const MAX_POOL_BYTES = 256 * 2 ** 20;
/** Blocks of the pool, at most: half of what a tier's queue takes by default. */
const MAX_POOL_BLOCKS = 2048;

/** Measures how fast each tier of a config stores and loads blocks, and says which watermarks fit. */
export async function bench(
  configPath: string,
  options: BenchOptions,
  environment: CliEnvironment,
  report: Report,
): Promise<ExitCode> {
  const { parsed } = await loadConfig(configPath, report);
  const { blockBytes } = parsed;
  // Two requests are the least: one alone, and one beside others.
  const numBlocks = Math.max(2, Math.min(MAX_POOL_BLOCKS, Math.floor(MAX_POOL_BYTES / blockBytes)));
  const requestBlocks = Math.max(1, Math.min(MAX_REQUEST_BLOCKS, Math.floor(numBlocks / (2 * IN_FLIGHT))));
  const tiers: TierBench[] = [];
  for (const index of parsed.secondaryTiers.keys()) {
    const name = `kvtier-bench-${environment.uniqueId()}`;
    tiers.push(
      await benchTier({ config: parsed, index, numBlocks, requestBlocks, name, options, environment, report }),
    );
  }
  const ok = tiers.every((tier) => tier.ok);
  const result: BenchResult = { ok, blockBytes, requestBlocks, inFlight: IN_FLIGHT, tiers };
  report.result(result, () => benchText(result));
  return ok ? ExitCode.Ok : ExitCode.CheckFailed;
}

interface TierBenchOptions {
  readonly config: TieringConfig;
  readonly index: number;
  readonly numBlocks: number;
  readonly requestBlocks: number;
  /** Of what the bench makes, and of nothing else. */
  readonly name: string;
  readonly options: BenchOptions;
  readonly environment: CliEnvironment;
  readonly report: Report;
}

async function benchTier(of: TierBenchOptions): Promise<TierBench> {
  const { config, index, name, environment, report } = of;
  const tierConfig = config.secondaryTiers[index] ?? {};
  const type = String(tierConfig.type);
  const log: string[] = [];
  const problems: string[] = [];
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      // Errors of the factory name the tier themselves.
      problems.push(reasonOf(error).replaceAll(`${ownerOf({ index }, type)}: `, ""));
      return null;
    }
  };
  const root = ThrowawayRoot.of(tierConfig, name);
  const progress = new BenchProgress(environment, report.isJson, `secondary_tiers[${index}] (${type})`);
  const outcome: Outcome = { figures: null, cleanedUp: true };
  try {
    await attempt(async () => {
      await root?.create();
      await measure({ ...of, root, log, progress }, root?.config ?? tierConfig, outcome);
    });
  } finally {
    progress.stop();
  }
  const isRemoved = (await attempt(async () => root?.remove())) !== null;
  return {
    index,
    type,
    ok: problems.length === 0,
    figures: outcome.figures,
    cleanedUp: root === null ? outcome.cleanedUp : isRemoved,
    problem: problems.length === 0 ? null : problems.join("; "),
    log,
  };
}

/** Kept apart from the result of the work, as it counts when that fails too. */
interface Outcome {
  figures: BenchFigures | null;
  cleanedUp: boolean;
}

interface Measuring extends TierBenchOptions {
  readonly root: ThrowawayRoot | null;
  readonly log: string[];
  readonly progress: BenchProgress;
}

async function measure(
  { config, index, numBlocks, requestBlocks, name, options, environment, root, log, progress }: Measuring,
  tierConfig: Readonly<Record<string, unknown>>,
  outcome: Outcome,
): Promise<void> {
  const { clock } = environment;
  const deadlineS = options.timeout;
  const logger = lineLogger((line) => void log.push(line));
  const modules = moduleBoundsOf(options);
  const opening = openBenchRig({ config, index, tierConfig, numBlocks, modules, clock, logger });
  const rig = await within(clock, deadlineS, "starting it did not end", opening);
  const { blockBytes } = config;
  const run = new BenchRun({
    rig,
    clock,
    blockBytes,
    numBlocks,
    requestBlocks,
    id: name,
    ownsNamespace: root !== null,
    deadlineS,
  });
  try {
    const passes = await run.run(options.seconds, (share) => progress.update(share));
    outcome.figures = figuresOf(passes, blockBytes);
  } finally {
    outcome.cleanedUp = run.cleanedUp;
    await within(clock, deadlineS, "closing it did not end", rig.close());
  }
}
