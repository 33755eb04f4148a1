import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { withTempFolder } from "./temp-folder.js";

const REGISTER = new URL("./register-ts.js", import.meta.url).href;
const SCRIPT = fileURLToPath(new URL("./small-fs-process.ts", import.meta.url));
/** As root, or as root of a namespace of one's own, where the system lets users have one. */
const NAMESPACE = process.getuid?.() === 0 ? "--mount" : "--mount --map-root-user";
const MOUNT = `exec unshare ${NAMESPACE} sh -c 'mount -t tmpfs -o size=64m kvtier-test "$0" && exec "$@"' "$0" "$@"`;
const TIMEOUT_MS = 120_000;

/** What the process saw, or why it could not be started: no right to mount anything. */
export type SmallFsRun = { readonly report: Record<string, unknown> } | { readonly notMounted: string };

/**
 * Runs a scenario of `small-fs-process.ts` with a tmpfs of 64 MiB that is mounted for its process alone, and is gone with
 * it, however that ends.
 */
export function onSmallFs(scenario: string, type: string): Promise<SmallFsRun> {
  return withTempFolder(async (mountPoint) => {
    const node = [process.execPath, "--no-warnings", "--import", REGISTER, SCRIPT, scenario, type, mountPoint];
    const { error, stdout, stderr } = await run("sh", ["-c", MOUNT, mountPoint, ...node]);
    const [started, report] = stdout.split("\n");
    if (started !== "started") return { notMounted: stderr };
    if (error !== null || report === undefined) throw new Error(`The process failed: ${stderr}`, { cause: error });
    return { report: JSON.parse(report) as Record<string, unknown> };
  });
}

function run(file: string, args: readonly string[]): Promise<{ error: Error | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(file, args, { timeout: TIMEOUT_MS, killSignal: "SIGKILL" }, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
  });
}
