import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const REGISTER = new URL("./register-ts.js", import.meta.url).href;
const SCRIPT = fileURLToPath(new URL("./fs-process.ts", import.meta.url));

export interface FsProcessOptions {
  readonly root: string;
  readonly blockBytes: number;
  readonly from: number;
  readonly to: number;
  /** Bound of the tier; absent: none. */
  readonly maxBytes?: number;
}

/** A line of the process: where its first block goes, or the results of a job. */
export type FsProcessLine = { readonly path: string } | readonly { readonly success: boolean; transferBytes: number }[];

/**
 * Runs `fs-process.ts` in a process of its own, and resolves with its lines when it has ended.
 *
 * @param onLine sees every line as it comes, and the process, which it may kill
 */
export async function runFsProcess(
  { root, blockBytes, from, to, maxBytes = 0 }: FsProcessOptions,
  onLine: (line: FsProcessLine, child: ChildProcess) => void = () => {},
): Promise<FsProcessLine[]> {
  const args = ["--no-warnings", "--import", REGISTER, SCRIPT, root, ...[blockBytes, from, to, maxBytes].map(String)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise<NodeJS.Signals | number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(signal ?? code));
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => (complaint += String(chunk)));
  const lines: FsProcessLine[] = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as FsProcessLine;
    lines.push(line);
    onLine(line, child);
  }
  const outcome = await ended;
  if (outcome !== 0 && outcome !== "SIGKILL")
    throw new Error(`The process ended with ${String(outcome)}: ${complaint}`);
  return lines;
}
