import { describe, expect, it } from "@jest/globals";
import { inject } from "inversify";
import { createTiering } from "../../src/cache/create-tiering.js";
import { hashBlocks } from "../../src/contracts/hash-blocks.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";
import type { TransferJob } from "../../src/contracts/transfer-job.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { TOKENS } from "../../src/tokens.js";
import { FIXTURES, testContainer } from "../support/tiering-container.js";

const submitted: TransferJob[] = [];

/** On no base of kvtier's, with a constructor of two collaborators, as it was written before there were detectors. */
@SecondaryTier("old", { config: "passthrough" })
class OldTier {
  #finished: { jobId: number; success: boolean }[] = [];

  constructor(
    @inject(TOKENS.primaryKvView) readonly view: unknown,
    @inject(TOKENS.tierConfig) readonly config: unknown,
  ) {}

  lookup(): string {
    return "miss";
  }

  submitStore(job: TransferJob): void {
    submitted.push(job);
    this.#finished.push({ jobId: job.jobId, success: true });
  }

  submitLoad(): void {}

  getFinishedJobs(): unknown[] {
    return this.#finished.splice(0);
  }

  hasPendingWork(): boolean {
    return this.#finished.length > 0;
  }

  async drainJobs(): Promise<{ unfinished: number[] }> {
    return { unfinished: [] };
  }
}

const refusing = { backpressure_cls: "./acme.ts#TallyDetector", policy_cls: "./acme.ts#NeverPolicy" };

describe("F1: a tier whose constructor knows nothing of detectors", () => {
  it.each(["AcmeTier", "FreeTier"])("constructs without a backpressure block, from a module: %s", async (type) => {
    const { factory } = testContainer();
    const tier = await factory.createSecondaryTier({ type, module_path: "./acme.ts", own: 1 });
    expect(tier.backpressureDetector ?? null).toBeNull();
    expect(Reflect.get(tier, "config")).toMatchObject({ own: 1 });
  });

  it.each(["AcmeTier", "FreeTier"])("has its detector kept for it when there is one: %s", async (type) => {
    const { factory } = testContainer();
    const tier = await factory.createSecondaryTier({ type, module_path: "./acme.ts", backpressure: refusing });
    expect(tier.backpressureDetector?.shouldStore(1)).toBe(false);
  });

  it.each([
    [undefined, 2],
    [refusing, 0],
  ])("is gated by it in a running cache: with %j it is given %p blocks", async (backpressure, blocks) => {
    submitted.length = 0;
    const tiering = await createTiering(
      {
        cpu_bytes_to_use: 128,
        block_bytes: 32,
        model: { name: "llama", dtype: "float16", tokens_per_block: 2 },
        secondary_tiers: [{ type: "old", ...(backpressure && { backpressure }) }],
      },
      { tiers: [OldTier], resolveFrom: FIXTURES, logger: silentLogger },
    );
    const keys = hashBlocks([1, 2, 3, 4], 2).map((hash) => makeOffloadKey(hash));
    await tiering.cache.put(keys, [new Uint8Array(32), new Uint8Array(32)]);
    await tiering.cache.flush();
    expect(submitted.flatMap((job) => job.keys)).toHaveLength(blocks);
    await tiering.close();
  });
});
