import { storageNamespace } from "../../contracts/storage-namespace.js";
import { Registries } from "../../factory/registries.js";
import { ExitCode } from "../exit-code.js";
import { loadConfig } from "../load-config.js";
import type { Report } from "../report.js";
import { describeTier } from "./describe-tier.js";
import { inspectText } from "./inspect-text.js";
import { shownOptions } from "./shown-options.js";

/** Shows what a config comes to: defaults filled in, secrets out, and what is bound to what. Starts and imports nothing. */
export async function inspect(configPath: string, report: Report): Promise<ExitCode> {
  const { parsed } = await loadConfig(configPath, report);
  const registries = new Registries();
  const { numBlocks, secondaryTiers, ...options } = parsed;
  const description = {
    config: shownOptions(options),
    numBlocks,
    namespace: storageNamespace(parsed),
    tiers: secondaryTiers.map((config, index) => describeTier(config, index, registries)),
    supportedTypes: registries.tiers.names(),
  };
  report.result(description, () => inspectText(description));
  return ExitCode.Ok;
}
