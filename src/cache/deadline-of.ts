import { KvTierError } from "../errors/kv-tier-error.js";
import type { AcquireOptions } from "./cache-options.js";

/**
 * The deadline of `options` in seconds: `Infinity` for none, 0 or less for now.
 *
 * @throws KvTierError `INVALID_STATE` when it is no number of seconds: as a timer it would be nobody's intention.
 */
export function deadlineOf({ deadlineS = Infinity }: AcquireOptions): number {
  if (typeof deadlineS === "number" && deadlineS > -Infinity) return deadlineS;
  throw new KvTierError(
    "INVALID_STATE",
    `deadlineS must be a number of seconds, 0 for now, Infinity or absent for none; got ${String(deadlineS)}.`,
  );
}
