import { isPlainObject } from "../../config/plain-data.js";

/** One request of a trace, as far as a replay needs it. */
export interface TraceRequest {
  /** Ids of the prompt's blocks. Equal ids mean an equal block, and an equal prefix before it. */
  readonly blockIds: readonly number[];
}

/**
 * Reads one line: an object with `hash_ids`, whole numbers. Its other fields (`timestamp`, `input_length`,
 * `output_length`) play no part, since a replay runs one request after the other.
 *
 * @throws Error that says what is wrong with the line.
 */
export function parseTraceRequest(line: string): TraceRequest {
  const value = parseJson(line);
  if (!isPlainObject(value)) throw new Error("it is no JSON object");
  const blockIds = value.hash_ids;
  if (!Array.isArray(blockIds)) throw new Error("hash_ids is missing, or is no array");
  const bad = blockIds.findIndex((id) => !Number.isSafeInteger(id) || (id as number) < 0);
  if (bad !== -1) throw new Error(`hash_ids[${bad}] is no whole number`);
  return { blockIds: blockIds as number[] };
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new Error("it is no JSON");
  }
}
