import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { errorCode } from "../disk/worker/error-code.js";

/** Which process this is, in words that another process can compare with its own. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Differs after every start of the machine; `null` where the system does not tell. */
  readonly boot: string | null;
  /** Containers number their processes each for itself; `null` where the system does not tell. */
  readonly pidNamespace: string | null;
}

export async function processIdentity(): Promise<ProcessIdentity> {
  const [boot, pidNamespace] = await Promise.all([
    orNull(readFile("/proc/sys/kernel/random/boot_id", "utf8")),
    orNull(readlink("/proc/self/ns/pid")),
  ]);
  return { host: hostname(), pid: process.pid, boot, pidNamespace };
}

/**
 * Whether `other` has certainly ended, as far as `self` can see: only of a process of the same start of the same machine,
 * in the same numbering, can its number tell.
 */
export function hasEnded(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.boot === null || other.pidNamespace === null) return false;
  if (other.host !== self.host || other.boot !== self.boot || other.pidNamespace !== self.pidNamespace) return false;
  try {
    process.kill(other.pid, 0);
    return false;
  } catch (error) {
    return errorCode(error) === "ESRCH";
  }
}

async function orNull(text: Promise<string>): Promise<string | null> {
  try {
    return (await text).trim();
  } catch {
    return null;
  }
}
