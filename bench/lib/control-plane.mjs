import { createTiering, LookupResult, Medium, SecondaryTier, SecondaryTierManager } from "kvtier";

/** @import { EvictionPolicyName, JobResult, KvBlockView, TransferJob } from "kvtier" */

/** Holds every block there is, and moves none: every job has succeeded as soon as it is submitted. */
export class NoopTier extends SecondaryTierManager {
  /** @type {JobResult[]} */
  #finished = [];

  /** @override */
  lookup() {
    return LookupResult.Hit;
  }

  /** @override @param {TransferJob} job */
  submitStore({ jobId }) {
    this.#finished.push({ jobId, success: true });
  }

  /** @override @param {TransferJob} job */
  submitLoad({ jobId }) {
    this.#finished.push({ jobId, success: true });
  }

  /** @override */
  getFinishedJobs() {
    const finished = this.#finished;
    if (finished.length > 0) this.#finished = [];
    return finished;
  }

  /** @override */
  async drainJobs() {
    return { unfinished: [] };
  }
}
SecondaryTier("noop", { medium: Medium.Cpu })(NoopTier);

/**
 * A manager as an application gets it, over blocks of one byte: nothing but bookkeeping is left to measure.
 *
 * @param {number} numBlocks
 * @param {{ policy?: EvictionPolicyName, primaryKvView?: KvBlockView }} [options]
 */
export function createControlPlane(numBlocks, { policy = "lru", ...options } = {}) {
  /** @type {unknown} */
  const config = {
    cpu_bytes_to_use: numBlocks,
    block_bytes: 1,
    eviction_policy: policy,
    model: { name: "bench", dtype: "float16", tokens_per_block: 16 },
    secondary_tiers: [{ type: "noop" }],
  };
  return createTiering(config, { ...options, tiers: [NoopTier], logger: quiet });
}

const quiet = { debug() {}, info() {}, warn: console.warn, error: console.error };
