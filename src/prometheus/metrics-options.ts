import { configInvalid } from "../config/config-invalid.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import type { Labels } from "./metric-family.js";

export interface MetricsOptions {
  /**
   * What every name begins with. `vllm:kv_offload_tiering_` gives the names of vLLM, for its dashboards: those of its
   * metrics of the pool lack the `tiering_`, so that they begin with the prefix without it.
   *
   * @default "kvtier_"
   */
  readonly prefix?: string;
  /** On every series of this cache: `{ cache: "llama-3" }` tells several caches of one process apart. */
  readonly labels?: Labels;
}

const PREFIX = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL = /^(?!__)[a-zA-Z_][a-zA-Z0-9_]*$/;
/** Labels of ours. */
const RESERVED: ReadonlySet<string> = new Set(["tier", "queue", "le"]);

/** @throws KvTierError `CONFIG_INVALID` */
export function checkMetricsOptions({ prefix, labels = {} }: MetricsOptions): void {
  const problems: ConfigProblem[] = [];
  if (prefix !== undefined && (typeof prefix !== "string" || !PREFIX.test(prefix))) {
    problems.push({ path: "prefix", message: "must be letters, digits, '_' and ':', and begin with no digit" });
  }
  for (const [name, value] of Object.entries(labels)) {
    const path = `labels.${name}`;
    if (RESERVED.has(name)) problems.push({ path, message: "is a label of kvtier's own; choose another name" });
    else if (!LABEL.test(name)) problems.push({ path, message: "is no name of a label" });
    if (typeof value !== "string") problems.push({ path, message: "must be a string" });
  }
  if (problems.length > 0) throw configInvalid(problems, "options of registerKvTierMetrics");
}
