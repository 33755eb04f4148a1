import { KvTierError } from "../errors/kv-tier-error.js";
import type { Labels } from "./metric-family.js";

const identityOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort());

/**
 * `labels`, if no other cache of the registry has the same; else with a number as `cache`, from 2.
 *
 * @throws KvTierError `INVALID_STATE` when the cache has a name already
 */
export function distinctLabels(labels: Labels, others: readonly Labels[]): Labels {
  const taken = new Set(others.map(identityOf));
  if (!taken.has(identityOf(labels))) return labels;
  if ("cache" in labels) {
    throw new KvTierError(
      "INVALID_STATE",
      `Two caches of one registry have the labels ${JSON.stringify(labels)}. Give each another 'cache'.`,
    );
  }
  for (let n = 2; ; n++) {
    const numbered = { ...labels, cache: String(n) };
    if (!taken.has(identityOf(numbered))) return numbered;
  }
}
