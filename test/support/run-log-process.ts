import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { LogTierConfig } from "../../src/tiers/log/log-tier-config.js";

const REGISTER = new URL("./register-ts.js", import.meta.url).href;
const SCRIPT = fileURLToPath(new URL("./log-process.ts", import.meta.url));

export interface LogProcessOptions {
  readonly root: string;
  readonly from: number;
  readonly to: number;
  readonly config: Partial<LogTierConfig>;
  /** The most files that it may have open; absent: as many as this process. */
  readonly maxFiles?: number;
}

/**
 * Runs `log-process.ts` in a process of its own, and resolves with the success of each of its jobs when it has ended.
 *
 * @param onJob told of each job as it ends, and of the process, which it may stop or kill
 */
export async function runLogProcess(
  { root, from, to, config, maxFiles }: LogProcessOptions,
  onJob: (jobs: number, child: ChildProcess) => void | Promise<void>,
): Promise<boolean[]> {
  const args = ["--no-warnings", "--import", REGISTER, SCRIPT, root, String(from), String(to), JSON.stringify(config)];
  const limit = maxFiles === undefined ? [] : ["sh", "-c", `ulimit -n ${maxFiles} && exec "$0" "$@"`];
  const [file = "", ...rest] = [...limit, process.execPath, ...args];
  const child = spawn(file, rest, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(signal ?? code));
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => (complaint += String(chunk)));
  const jobs: boolean[] = [];
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      jobs.push(JSON.parse(line) as boolean);
      await onJob(jobs.length, child);
    }
  } finally {
    child.kill("SIGCONT");
    if (child.exitCode === null) child.kill("SIGKILL");
  }
  const outcome = await ended;
  if (outcome !== 0 && outcome !== "SIGKILL") throw new Error(`It ended with ${String(outcome)}: ${complaint}`);
  return jobs;
}
