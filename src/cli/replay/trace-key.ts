import { createHash } from "node:crypto";
import { makeOffloadKey, type OffloadKey } from "../../contracts/offload-key.js";

/** The key of the block that a trace calls `id`: the same in every run, and no key of a real block. */
export function traceKey(id: number): OffloadKey {
  return makeOffloadKey(createHash("sha256").update(`kvtier replay ${id}`).digest());
}
