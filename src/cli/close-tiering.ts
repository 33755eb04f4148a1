import type { Tiering } from "../cache/create-tiering.js";
import { reasonOf } from "../errors/factory-errors.js";
import type { Report } from "./report.js";

/** A tier that does not close cleanly costs the exit code, and not what was found out until then. */
export async function closeTiering(tiering: Tiering, report: Report): Promise<boolean> {
  try {
    await tiering.close();
    return true;
  } catch (error) {
    report.note(`kvtier: ${reasonOf(error)}`);
    return false;
  }
}
