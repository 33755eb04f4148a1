import { formatByteSize } from "../config/byte-size.js";
import type { TieringConfig } from "../config/tiering-config.js";
import { KvTierError, type ConfigProblem } from "../errors/kv-tier-error.js";
import { checkModules } from "../factory/check-modules.js";
import { ExitCode } from "./exit-code.js";
import { formatCount } from "./format.js";
import { loadConfig } from "./load-config.js";
import { moduleBoundsOf, type ModuleBounds } from "./module-bounds.js";
import type { Report } from "./report.js";

/** Checks a config without starting or importing anything, and tells of every problem in it. */
export async function validate(configPath: string, options: ModuleBounds, report: Report): Promise<ExitCode> {
  let parsed: TieringConfig;
  try {
    ({ parsed } = await loadConfig(configPath, report));
  } catch (error) {
    if (!KvTierError.is(error, "CONFIG_INVALID")) throw error;
    return refuse(configPath, error.problems, report);
  }
  const { modules, problems } = await checkModules(parsed, moduleBoundsOf(options));
  if (problems.length > 0) return refuse(configPath, problems, report);
  if (modules.length > 0 && !report.isJson) {
    report.note(`note: what comes from ${modules.join(", ")} is checked, with its options, when it is created`);
  }
  const { numBlocks, blockBytes, evictionPolicy, secondaryTiers } = parsed;
  const tiers = secondaryTiers.map((tier) => String(tier.type));
  const summary = { valid: true, problems: [], numBlocks, blockBytes, evictionPolicy, tiers };
  report.result(summary, () => {
    const pool = `a pool of ${formatCount(numBlocks)} blocks of ${formatByteSize(blockBytes)} (${evictionPolicy})`;
    return `${configPath}: ok: ${pool}, ${tiers.length === 0 ? "no secondary tier" : `then ${tiers.join(", ")}`}`;
  });
  return ExitCode.Ok;
}

function refuse(configPath: string, problems: readonly ConfigProblem[], report: Report): ExitCode {
  if (report.isJson) {
    report.result({ valid: false, problems }, () => "");
    return ExitCode.Config;
  }
  report.note(`${configPath}: ${problems.length === 1 ? "1 problem" : `${problems.length} problems`}`);
  for (const { path, message } of problems) report.note(path === "" ? `  ${message}` : `  ${path}: ${message}`);
  return ExitCode.Config;
}
