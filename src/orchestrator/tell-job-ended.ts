import type { JobResult } from "../contracts/transfer-job.js";
import { CHANNELS } from "../diagnostics/channels.js";
import type { EndedJob } from "../metrics/tier-metrics.js";
import type { OpenJob } from "./job-ledger.js";

/**
 * Tells whoever listens to the channels what became of a job.
 *
 * @param arrived how many of its blocks were moved, or were there already
 */
export function tellJobEnded(open: OpenJob, result: JobResult, ended: EndedJob, arrived: number): void {
  const isPromotion = open.batch !== null;
  const transfers = isPromotion ? CHANNELS.promotion : CHANNELS.cascade;
  const of = (): { tier: string; jobId: number; requestId: string; keys: OpenJob["keys"] } => ({
    tier: open.tier.label,
    jobId: result.jobId,
    requestId: open.job.reqContext.reqId,
    keys: [...open.keys],
  });
  if (transfers.hasSubscribers) {
    const { success, bytes, durationS } = ended;
    transfers.publish({ ...of(), success, blocks: arrived, bytes, durationS });
  }
  if (ended.success) return;
  if (result.dropped === true && !isPromotion) {
    if (!CHANNELS.storeDropped.hasSubscribers) return;
    CHANNELS.storeDropped.publish({ tier: open.tier.label, blocks: ended.blocks, reason: "queue" });
  } else if (CHANNELS.jobFailure.hasSubscribers) {
    const kind = isPromotion ? "promotion" : "cascade";
    CHANNELS.jobFailure.publish({ ...of(), kind, failedBlocks: ended.blocks - arrived });
  }
}
