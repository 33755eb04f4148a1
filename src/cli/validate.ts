import { formatByteSize } from "../config/byte-size.js";
import type { TieringConfig } from "../config/tiering-config.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { ExitCode } from "./exit-code.js";
import { formatCount } from "./format.js";
import { loadConfig } from "./load-config.js";
import type { Report } from "./report.js";

/** Checks a config without starting or importing anything, and tells of every problem in it. */
export async function validate(configPath: string, report: Report): Promise<ExitCode> {
  let parsed: TieringConfig;
  try {
    ({ parsed } = await loadConfig(configPath, report));
  } catch (error) {
    if (!KvTierError.is(error, "CONFIG_INVALID")) throw error;
    const { problems } = error;
    for (const { path, message } of problems) report.note(path === "" ? message : `${path}: ${message}`);
    if (report.isJson) report.result({ valid: false, problems }, () => "");
    return ExitCode.Config;
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
