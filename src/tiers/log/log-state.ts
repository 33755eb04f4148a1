import { open, readFile } from "node:fs/promises";
import { join } from "node:path";

const NAME = "log.json";

/** What an owner leaves word of for the next one, in the folder of segments. */
export interface LogState {
  /** Whether everything reached the disk before the owner closed the folder. */
  readonly isClosed: boolean;
  /**
   * The start of the machine since when every block without a checksum was written, or was found sound: until the next
   * start such a block is whole if its entry is. `null` when nothing is known.
   */
  readonly boot: string | null;
  /** Names of segments that an earlier owner, which fell silent, may have open still. They must not be written again. */
  readonly suspects: readonly string[];
}

/** The state of `folder`; `null` when there is none that can be read, of which nothing good can be assumed. */
export async function readLogState(folder: string): Promise<LogState | null> {
  try {
    const state = JSON.parse(await readFile(join(folder, NAME), "utf8")) as Partial<Record<keyof LogState, unknown>>;
    const { isClosed, boot, suspects } = state;
    if (typeof isClosed !== "boolean" || !Array.isArray(suspects)) return null;
    return { isClosed, boot: typeof boot === "string" ? boot : null, suspects: suspects.map(String) };
  } catch {
    return null;
  }
}

/**
 * Writes the state, through to the disk. In place: a state that a crash cuts off half-way cannot be read, and an earlier
 * one must not come back, as it would if a rename were lost.
 */
export async function writeLogState(folder: string, state: LogState): Promise<void> {
  const text = `${JSON.stringify(state, null, 2)}\n`;
  const file = await open(join(folder, NAME), "a");
  try {
    await file.truncate(0);
    await file.appendFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}
