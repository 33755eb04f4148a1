import { readFile } from "node:fs/promises";
import { parseConfigText } from "../config/parse-config-text.js";
import type { TieringConfig } from "../config/tiering-config.js";
import { reasonOf } from "../errors/factory-errors.js";
import { parseTieringConfig } from "../factory/parse-tiering-config.js";
import { CliError } from "./cli-error.js";
import { ExitCode } from "./exit-code.js";
import type { Report } from "./report.js";

export interface LoadedConfig {
  /** As it stands in the file. */
  readonly raw: unknown;
  readonly parsed: TieringConfig;
}

/**
 * Reads and checks a config file, JSON or JSON with comments. From then on `report` shows none of its secrets.
 *
 * @throws CliError when the file cannot be read; KvTierError `CONFIG_INVALID` with every problem.
 */
export async function loadConfig(file: string, report: Report): Promise<LoadedConfig> {
  const raw = parseConfigText(await read(file), file);
  report.hideSecretsOf(raw);
  return { raw, parsed: parseTieringConfig(raw) };
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new CliError(ExitCode.Config, `The config file cannot be read: ${reasonOf(error)}`);
  }
}
