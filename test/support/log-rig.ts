import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { logNamespace } from "../../src/tiers/log/log-namespace.js";
import { segmentBytesOf } from "../../src/tiers/log/worker/segment-format.js";
import { makeLogTier, type LogTierOptions } from "./make-log-tier.js";
import { withTempFolder } from "./temp-folder.js";

/** As `TierRig` has them. */
export const BLOCK_BYTES = 1000;

/** Options for segments of `slots` blocks, at most `segments` of them. */
export function segmentsOf(slots: number, segments: number): { segmentBytes: number; maxBytes: number } {
  const segmentBytes = segmentBytesOf({ slots, blockBytes: BLOCK_BYTES });
  return { segmentBytes, maxBytes: segments * segmentBytes };
}

/** Folder of the segments below `root`. */
export function segmentFolder(root: string): string {
  return join(root, logNamespace(createTestSpec().model, BLOCK_BYTES).blocks);
}

/** Names of the segment files below `root`, the oldest first. */
export async function segmentNames(root: string): Promise<string[]> {
  return (await readdir(segmentFolder(root))).filter((name) => name.endsWith(".seg")).sort();
}

/** Runs `body` with a log on `root`, and shuts it down. */
export async function withLog(
  root: string,
  options: LogTierOptions,
  body: (rig: TierRig) => Promise<void>,
): Promise<void> {
  await TierRig.use((env) => makeLogTier(root, { ...options, context: { ...env, ...options.context } }), body);
}

/** Runs `body` with a log on a disk that nobody hangs on afterwards: a tier waits for its threads when it is shut down. */
export async function withLogOnDisk(
  options: LogTierOptions,
  body: (parts: { root: string; disk: FaultyDisk; rig: TierRig }) => Promise<void>,
): Promise<void> {
  await withTempFolder(async (root) => {
    const disk = new FaultyDisk();
    await withLog(root, { ...options, disk }, async (rig) => {
      try {
        await body({ root, disk, rig });
      } finally {
        disk.close();
      }
    });
  });
}

/** Which of the blocks 0 to `count - 1` are found; each is loaded, and every byte of it checked. */
export async function heldIn(rig: TierRig, count: number): Promise<number[]> {
  const held: number[] = [];
  for (let n = 0; n < count; n++) {
    if ((await rig.verdict(n, "held")) !== LookupResult.Hit) continue;
    rig.fill(0, 0);
    const { success } = await rig.load([n], [0]);
    if (!success) continue;
    const fault = rig.faultOf(n, 0);
    if (fault !== null) throw new Error(fault);
    held.push(n);
  }
  return held;
}
