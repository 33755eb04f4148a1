import { setTimeout as pause } from "node:timers/promises";

/** Looks again until `holds`; a server is another process, or a socket away, and answers in its own time. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, turns = 20_000): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    if (await holds()) return;
    await pause(1);
  }
  throw new Error(`Waited in vain for ${what}.`);
}
