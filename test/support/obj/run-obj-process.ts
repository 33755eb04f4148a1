import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { OtherProcess } from "./obj-process.js";

const REGISTER = new URL("../register-ts.js", import.meta.url).href;
const SCRIPT = fileURLToPath(new URL("./obj-process.ts", import.meta.url));

/** Stores blocks from a process of its own, and resolves when it has ended. */
export async function storeInOtherProcess(what: OtherProcess): Promise<void> {
  const args = ["--no-warnings", "--import", REGISTER, SCRIPT, JSON.stringify(what)];
  await promisify(execFile)(process.execPath, args);
}
