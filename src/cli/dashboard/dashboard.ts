import { createTiering, type Tiering } from "../../cache/create-tiering.js";
import { createDashboardHandler } from "../../dashboard/create-dashboard-handler.js";
import { dashboardSource } from "../../dashboard/dashboard-source.js";
import type { CliEnvironment } from "../cli-environment.js";
import { lineLogger } from "../cli-logger.js";
import { closeTiering } from "../close-tiering.js";
import { ExitCode } from "../exit-code.js";
import { loadConfig } from "../load-config.js";
import { moduleBoundsOf, type ModuleBounds } from "../module-bounds.js";
import type { Report } from "../report.js";
import { controlToken } from "./control-token.js";
import { PageServer } from "./page-server.js";
import { openWorkload, type Workload, type WorkloadChoice } from "./workload.js";

export interface DashboardCommandOptions extends ModuleBounds, WorkloadChoice {
  /** Path of the config file. */
  readonly config: string;
  /** Address to listen at. */
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Host names that the page may be asked for by. */
  readonly allowHost?: readonly string[];
  /** Name of the environment variable with the token for the control. */
  readonly tokenEnv?: string;
}

/** Opens the tiers of a config and shows what they do on a page, until somebody interrupts it. */
export async function dashboard(
  options: DashboardCommandOptions,
  environment: CliEnvironment,
  report: Report,
): Promise<ExitCode> {
  const token = controlToken(options.tokenEnv, environment);
  const { raw, parsed } = await loadConfig(options.config, report);
  const workload = await openWorkload(options, parsed);
  try {
    const logger = lineLogger((line) => report.note(`kvtier: ${line}`));
    const { clock } = environment;
    const tiering = await createTiering(raw, { ...moduleBoundsOf(options), logger, clock });
    try {
      const source = dashboardSource(parsed.model.name, tiering.container);
      const { host, port, allowHost: allowedHosts = [] } = options;
      const handler = createDashboardHandler([source], { allowedHosts, token, clock, logger });
      const server = await PageServer.listen(handler, host, port);
      try {
        return await show({ server, tiering, workload, environment, report });
      } finally {
        await server.close();
      }
    } finally {
      // Closed before, unless the page could not be shown.
      await tiering.close();
    }
  } finally {
    await workload.close();
  }
}

interface ShownPage {
  readonly server: PageServer;
  readonly tiering: Tiering;
  readonly workload: Workload;
  readonly environment: CliEnvironment;
  readonly report: Report;
}

async function show({ server, tiering, workload, environment, report }: ShownPage): Promise<ExitCode> {
  const interrupted = environment.interrupted();
  if (server.isOpenToOthers) report.note("kvtier: whoever can reach this address can look at the page");
  report.result({ url: server.url }, () => `The page is at ${server.url} (Ctrl-C ends it)`);
  const end = new AbortController();
  const run = workload.run({ tiering, environment, report, signal: end.signal });
  await interrupted;
  end.abort();
  // What the workload waits for is given up with the cache.
  const [closed, worked] = await Promise.all([closeTiering(tiering, report), run]);
  return closed && worked ? ExitCode.Ok : ExitCode.CheckFailed;
}
