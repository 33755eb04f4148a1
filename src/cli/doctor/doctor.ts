import { createHash } from "node:crypto";
import { Container } from "inversify";
import { formatByteSize } from "../../config/byte-size.js";
import { createOffloadingSpec } from "../../config/create-offloading-spec.js";
import type { TieringConfig } from "../../config/tiering-config.js";
import { makeOffloadKey, type OffloadKey } from "../../contracts/offload-key.js";
import type { SecondaryTierFactory } from "../../factory/secondary-tier-factory.js";
import { ownerOf } from "../../factory/tier-placement.js";
import { tieringModule } from "../../factory/tiering-module.js";
import { PrimaryKvView } from "../../primary/primary-kv-view.js";
import { TOKENS } from "../../tokens.js";
import type { CliEnvironment } from "../cli-environment.js";
import { lineLogger } from "../cli-logger.js";
import { ExitCode } from "../exit-code.js";
import { formatSeconds, formatTable, NONE } from "../format.js";
import { loadConfig } from "../load-config.js";
import { moduleBoundsOf, type ModuleBounds } from "../module-bounds.js";
import type { Report } from "../report.js";
import { TierCheck, type TierFindings } from "./tier-check.js";

export interface DoctorOptions extends ModuleBounds {
  /** Seconds that each step of a check may take. */
  readonly timeout: number;
}

/** What `doctor --json` prints of a tier. */
export interface TierDiagnosis extends TierFindings {
  /** Warnings and errors that it logged: what fails inside a tier is told nowhere else. */
  readonly log: readonly string[];
}

/** One to write from, one to read into. Everything else is as for real blocks, so that what they need is checked. */
const SLOTS = 2;

/** Starts every tier of a config, writes a block to it, reads it back, checks every byte, and takes the times. */
export async function doctor(
  configPath: string,
  options: DoctorOptions,
  environment: CliEnvironment,
  report: Report,
): Promise<ExitCode> {
  const { parsed } = await loadConfig(configPath, report);
  const tiers = await checkTiers(parsed, options, environment);
  const ok = tiers.every((tier) => tier.ok);
  report.result({ ok, blockBytes: parsed.blockBytes, tiers }, () => doctorText(tiers, parsed.blockBytes));
  return ok ? ExitCode.Ok : ExitCode.CheckFailed;
}

async function checkTiers(
  config: TieringConfig,
  options: DoctorOptions,
  { clock, uniqueId }: CliEnvironment,
): Promise<TierDiagnosis[]> {
  const offloadingSpec = { ...createOffloadingSpec(config), numBlocks: SLOTS };
  const findings: TierDiagnosis[] = [];
  for (const [index, tierConfig] of config.secondaryTiers.entries()) {
    const log: string[] = [];
    const logger = lineLogger((line) => void log.push(line));
    // Memory of its own for each: a tier that hangs may yet write to what it was given.
    const view = PrimaryKvView.allocate(SLOTS, config.blockBytes);
    const container = new Container();
    container.load(tieringModule({ ...moduleBoundsOf(options), primaryKvView: view, offloadingSpec, logger, clock }));
    const factory = container.get<SecondaryTierFactory>(TOKENS.tierFactory);
    const check = new TierCheck({ factory, view, clock, logger, deadlineS: options.timeout }, throwawayKey(uniqueId()));
    findings.push({ ...(await check.run(tierConfig, index)), log });
  }
  return findings;
}

function throwawayKey(uniqueId: string): OffloadKey {
  return makeOffloadKey(createHash("sha256").update(`kvtier doctor ${uniqueId}`).digest());
}

function doctorText(tiers: readonly TierDiagnosis[], blockBytes: number): string {
  if (tiers.length === 0) return "The config has no secondary tiers: there is nothing to check.";
  const rows = tiers.map(({ index, type, ok, writeS, readS }) => [
    `secondary_tiers[${index}] (${type})`,
    ok ? "ok" : "FAILED",
    writeS === null ? NONE : formatSeconds(writeS),
    readS === null ? NONE : formatSeconds(readS),
  ]);
  const remarks = tiers.flatMap(({ index, type, problem, log, cleanedUp }) => {
    const kept = cleanedUp ? [] : ["the block of the check is still stored"];
    // Errors of the factory name the tier themselves.
    const owner = `${ownerOf({ index }, type)}: `;
    return [...(problem === null ? [] : [problem]), ...log, ...kept].map(
      (text) => `secondary_tiers[${index}] (${type}): ${text.replaceAll(owner, "")}`,
    );
  });
  const table = formatTable(["Tier", "Check", "Write", "Read"], rows);
  return [`One block of ${formatByteSize(blockBytes)}, written and read back:`, table, ...remarks].join("\n");
}
