import type { JobResult, TransferJob } from "../../../../src/contracts/transfer-job.js";
import { jobOf, keyOf, request, settle, STEP } from "../shared/fake-store.js";
import type { FakeServerTier } from "./fake-server-tier.js";

/** Stores the blocks `ns` from the slots of their numbers, and waits for the result. */
export async function store(tier: FakeServerTier, ...ns: number[]): Promise<JobResult> {
  const job = jobOf(ns);
  tier.submitStore(job);
  return resultOf(tier, job);
}

/** Loads the blocks `ns` into the slots from 40 on, and waits for the result. */
export async function load(tier: FakeServerTier, ...ns: number[]): Promise<JobResult> {
  const slots = ns.map((_, i) => 40 + i);
  const job = jobOf(ns, slots);
  tier.submitLoad(job);
  return resultOf(tier, job);
}

/** The final answer to a look-up of block `n`. */
export async function lookup(tier: FakeServerTier, n: number, reqId: string): Promise<string> {
  tier.lookup(keyOf(n), request(reqId));
  tier.onScheduleEnd(STEP);
  await settle();
  return tier.lookup(keyOf(n), request(reqId));
}

async function resultOf(tier: FakeServerTier, { jobId }: TransferJob): Promise<JobResult> {
  await settle();
  const result = tier.getFinishedJobs().find((finished) => finished.jobId === jobId);
  if (result === undefined) throw new Error("The job has no result yet.");
  return result;
}
