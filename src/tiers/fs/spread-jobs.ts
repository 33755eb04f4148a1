import type { OffloadKey } from "../../contracts/offload-key.js";
import type { JobResult, TransferJob } from "../../contracts/transfer-job.js";
import { pick } from "./pick.js";

/** The part of a job that is one folder's. */
export interface JobPart {
  readonly shard: number;
  readonly job: TransferJob;
}

interface OpenJob {
  readonly job: TransferJob;
  /** Of each shard that has not ended its part, the keys. */
  readonly left: Map<number, readonly OffloadKey[]>;
  readonly results: JobResult[];
  readonly successful: Set<OffloadKey>;
}

/** Jobs whose blocks are spread over several folders: each folder has a job of its own, and the results become one. */
export class SpreadJobs {
  readonly #shardOf: (key: OffloadKey) => number;
  readonly #open = new Map<number, OpenJob>();

  constructor(shardOf: (key: OffloadKey) => number) {
    this.#shardOf = shardOf;
  }

  /** The parts of a job, each with the id of the whole; a job without keys is one part. */
  split(job: TransferJob): readonly JobPart[] {
    const at = new Map<number, number[]>();
    job.keys.forEach((key, i) => {
      const shard = this.#shardOf(key);
      const found = at.get(shard);
      if (found === undefined) at.set(shard, [i]);
      else found.push(i);
    });
    if (at.size <= 1) return [{ shard: [...at.keys()][0] ?? 0, job }];
    const parts = Array.from(at, ([shard, indices]) => ({ shard, job: partOf(job, indices) }));
    const left = new Map(parts.map((part) => [part.shard, part.job.keys]));
    this.#open.set(job.jobId, { job, left, results: [], successful: new Set() });
    return parts;
  }

  /** The result of the whole job, when that of this part was the last to come. */
  merge(shard: number, result: JobResult): JobResult | null {
    const open = this.#open.get(result.jobId);
    const keys = open?.left.get(shard);
    if (open === undefined || keys === undefined) return result;
    open.left.delete(shard);
    open.results.push(result);
    for (const key of result.success ? keys : (result.successfulKeys ?? [])) open.successful.add(key);
    if (open.left.size > 0) return null;
    this.#open.delete(result.jobId);
    return wholeOf(open);
  }
}

function partOf(job: TransferJob, indices: readonly number[]): TransferJob {
  return {
    ...job,
    keys: pick(job.keys, indices),
    // As with the whole job: a slot that is missing is none that a pool has.
    blockIds: Int32Array.from(indices, (i) => job.blockIds[i] ?? -1),
  };
}

function wholeOf({ job, results, successful }: OpenJob): JobResult {
  const { jobId } = job;
  const loaded = job.isPromotion ? job.keys.filter((key) => successful.has(key)) : [];
  const success = results.every((result) => result.success);
  const times = results.flatMap(({ transferTime }) => transferTime ?? []);
  const released = results.flatMap(({ blocksReleased }) => blocksReleased ?? []);
  return {
    jobId,
    success,
    ...(!success && loaded.length > 0 && { successfulKeys: loaded }),
    ...(times.length > 0 && { transferTime: Math.max(...times) }),
    transferBytes: results.reduce((sum, { transferBytes = 0 }) => sum + transferBytes, 0),
    ...(released.length > 0 && { blocksReleased: Promise.allSettled(released) }),
    // One that was begun somewhere was not dropped.
    ...(results.every(({ dropped }) => dropped === true) && { dropped: true as const }),
  };
}
