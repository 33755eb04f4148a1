import type { JobResult } from "../contracts/transfer-job.js";

/** A report of a tier, read with suspicion: the tier may be out of tree, and written in JavaScript. */
export interface ReadResult {
  readonly jobId: number;
  /** `null` when the report makes no sense, so that nothing of its job may be believed. */
  readonly result: JobResult | null;
}

/** Reads one element of what `getFinishedJobs` returned; `null` when it does not even name a job. */
export function readResult(reported: unknown): ReadResult | null {
  if (typeof reported !== "object" || reported === null) return null;
  const { jobId, success, successfulKeys, transferTime, transferBytes, blocksReleased, dropped } = reported as Partial<
    Record<keyof JobResult, unknown>
  >;
  if (!Number.isSafeInteger(Number(jobId)) || jobId === null || jobId === "") return null;
  const id = Number(jobId);
  const isSound =
    typeof jobId === "number" &&
    typeof success === "boolean" &&
    (successfulKeys === undefined || Array.isArray(successfulKeys)) &&
    (blocksReleased === undefined || isThenable(blocksReleased));
  if (!isSound) return { jobId: id, result: null };
  const result: JobResult = {
    jobId: id,
    success,
    ...(successfulKeys !== undefined && { successfulKeys: successfulKeys as NonNullable<JobResult["successfulKeys"]> }),
    ...(isAmount(transferTime) && { transferTime }),
    ...(isAmount(transferBytes) && { transferBytes }),
    ...(isThenable(blocksReleased) && { blocksReleased: Promise.resolve(blocksReleased) }),
    ...(dropped === true && { dropped }),
  };
  return { jobId: id, result };
}

const isAmount = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < Infinity;

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
