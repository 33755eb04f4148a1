import { Command, CommanderError, Option } from "commander";
import { bench, type BenchOptions } from "./bench/bench.js";
import type { CliEnvironment } from "./cli-environment.js";
import { dashboard, type DashboardCommandOptions } from "./dashboard/dashboard.js";
import { doctor, type DoctorOptions } from "./doctor/doctor.js";
import { ExitCode } from "./exit-code.js";
import { inspect } from "./inspect/inspect.js";
import type { ModuleBounds } from "./module-bounds.js";
import { append, readBlockBytes, readCount, readPort, readSeconds } from "./option-values.js";
import { packageManifest } from "./package-manifest.js";
import { replay, type ReplayOptions } from "./replay/replay.js";
import { Report } from "./report.js";
import { validate } from "./validate.js";

interface CommonOptions {
  readonly json?: boolean;
}

/** Seconds that a step of `doctor` or `bench` may take: more than the deadline that built-in tiers have by default. */
const STEP_TIMEOUT_S = 60;

/** Seconds for which `bench` measures a tier. */
const BENCH_S = 10;

/** Nobody but this machine. */
const DASHBOARD_HOST = "127.0.0.1";
const DASHBOARD_PORT = 7117;

/**
 * Runs the `kvtier` command. Never throws, and never ends the process.
 *
 * @param args what stands on the command line after the command's name
 * @returns the exit code
 */
export async function runCli(args: readonly string[], environment: CliEnvironment): Promise<ExitCode> {
  let exitCode: ExitCode = ExitCode.Ok;
  /** An action for commander: whatever it does or throws becomes the exit code. */
  const execute = async (options: CommonOptions, run: (report: Report) => Promise<ExitCode>): Promise<void> => {
    const report = new Report(environment, options.json === true);
    exitCode = await run(report).catch((error: unknown) => report.fail(error));
  };
  try {
    await createProgram(environment, execute).parseAsync(args, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Help and version were asked for; everything else is a wrong call, and commander has said so.
    return error.exitCode === 0 ? ExitCode.Ok : ExitCode.Usage;
  }
  return exitCode;
}

type Execute = (options: CommonOptions, run: (report: Report) => Promise<ExitCode>) => Promise<void>;

function createProgram(environment: CliEnvironment, execute: Execute): Command {
  const program = new Command("kvtier")
    .description("Multi-tier KV-cache offloading: check a config, its tiers, and what they would save.")
    .version(packageManifest().version)
    .exitOverride()
    .configureOutput({ writeOut: environment.out, writeErr: environment.err })
    .addHelpText("after", "\nExit codes: 0 fine, 1 a check failed, 2 wrong usage, 3 bad config.");

  withModuleBounds(program.command("validate <config>"))
    .description("check a config file, and tell of every problem in it")
    .option("--json", "print one JSON object")
    .action((config: string, options: CommonOptions & ModuleBounds) =>
      execute(options, (report) => validate(config, options, report)),
    );

  program
    .command("inspect <config>")
    .description("show what a config comes to: defaults, blocks, and which class serves which tier")
    .option("--json", "print one JSON object")
    .action((config: string, options: CommonOptions) => execute(options, (report) => inspect(config, report)));

  withModuleBounds(program.command("doctor <config>"))
    .description("start every tier, write a block to it, read it back, and check every byte")
    .option("--timeout <seconds>", "how long each step may take", readSeconds, STEP_TIMEOUT_S)
    .option("--json", "print one JSON object")
    .action((config: string, options: CommonOptions & DoctorOptions) =>
      execute(options, (report) => doctor(config, options, environment, report)),
    );

  withModuleBounds(program.command("replay <trace>"))
    .description("run a request trace (JSON lines with hash_ids) through the tiers of a config, with real bytes")
    .requiredOption("--config <file>", "the config; blocks of the trace are stored in its tiers, and stay there")
    .option("--block-bytes <size>", "bytes of a block instead of the config's, as 4096 or 4KiB", readBlockBytes)
    .option("--limit <requests>", "stop after so many requests", readCount)
    .option("--json", "print one JSON object")
    .action((trace: string, options: CommonOptions & ReplayOptions) =>
      execute(options, (report) => replay(trace, options, environment, report)),
    );

  withModuleBounds(program.command("bench <config>"))
    .description("measure how fast every tier stores and loads blocks, and recommend watermarks for backpressure")
    .option("--seconds <seconds>", "how long to measure each tier", readSeconds, BENCH_S)
    .option("--timeout <seconds>", "how long each step may take", readSeconds, STEP_TIMEOUT_S)
    .option("--json", "print one JSON object")
    .action((config: string, options: CommonOptions & BenchOptions) =>
      execute(options, (report) => bench(config, options, environment, report)),
    );

  withModuleBounds(program.command("dashboard"))
    .description("show what the tiers of a config do, live, on a page in the browser")
    .requiredOption("--config <file>", "the config; its tiers are opened in this process")
    .addOption(
      new Option("--trace <file>", "run this request trace through them; its blocks stay there").conflicts("demo"),
    )
    .option("--demo", "run a generated chat service through them; its blocks stay there")
    .option("--host <address>", "address to listen at", DASHBOARD_HOST)
    .option("--port <port>", "port to listen at; 0: any that is free", readPort, DASHBOARD_PORT)
    .option("--allow-host <name>", "a host name that the page may be asked for by; repeatable", append)
    .option("--token-env <name>", "environment variable with a token; who knows it may clear the cache")
    .option("--json", "print the address as one JSON object, once the page is there")
    .action((options: CommonOptions & DashboardCommandOptions) =>
      execute(options, (report) => dashboard(options, environment, report)),
    );
  return program;
}

function withModuleBounds(command: Command): Command {
  return command
    .option(
      "--resolve-from <folder>",
      "folder that modules in the config are resolved from (default: the working folder)",
    )
    .option("--allow-module <specifier>", "a module outside of that folder that may be loaded; repeatable", append);
}
