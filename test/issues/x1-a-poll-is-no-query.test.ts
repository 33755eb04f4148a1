import { describe, expect, it } from "@jest/globals";
import { createTestTiering } from "kvtier/testing";
import { withTempFolder } from "../support/temp-folder.js";
import { keysOf, StepRig } from "../unit/orchestrator/step-rig.js";

describe("X1: figures count what happened, not how often somebody asked", () => {
  it("10 polls of one pending look-up are 1 query and 1 hit", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    rig.tier.answer = "retry";
    for (let i = 0; i < 5; i++) expect(rig.look(1)).toBe("retry");
    rig.tier.answer = undefined;
    for (let i = 0; i < 5; i++) expect(rig.look(1)).toBe("hit_pending");
    rig.step();
    rig.releaseAll();
    for (let i = 0; i < 5; i++) expect(rig.look(1)).toBe("hit");
    expect(rig.manager.getStats()).toMatchObject({
      primary: { queries: 1, hits: 0 },
      tiers: [{ queries: 1, hits: 1 }],
    });
  });

  it("another request's look-up of the same block is its own", async () => {
    const rig = new StepRig();
    await rig.seed(1);
    for (const reqId of ["a", "b", "a", "b"]) rig.look(1, reqId);
    expect(rig.manager.getStats()).toMatchObject({
      primary: { queries: 2, hits: 1 },
      tiers: [{ queries: 1, hits: 1 }],
    });
  });

  it("bytes written are those the tier says it wrote: a block it held already counts 0", () => {
    const rig = new StepRig();
    rig.store("r", 1, 2);
    rig.tier.extraResults.push({ jobId: 0, success: true, transferBytes: 0 });
    rig.step();
    expect(rig.tier.stores).toEqual([keysOf(1, 2)]);
    expect(rig.manager.getStats().tiers[0]).toMatchObject({ bytesWritten: 0, cascadeFailures: 0 });
  });

  it("a block that is stored a second time adds no bytes, and is counted as stored already", () =>
    withTempFolder(async (folder) => {
      const { cache, manager, close } = await createTestTiering({
        cpu_bytes_to_use: 4096,
        block_bytes: 1024,
        model: { name: "m", dtype: "f16", tokens_per_block: 16 },
        secondary_tiers: [{ type: "fs", root_dir: folder }],
      });
      try {
        for (let i = 0; i < 2; i++) {
          await cache.put(keysOf(1), [new Uint8Array(1024)]);
          await cache.flush();
          await manager.resetCache();
        }
        const [tier] = manager.getStats().tiers;
        expect(tier).toMatchObject({ bytesWritten: 1024, figures: { blocksWritten: 1, blocksAlreadyStored: 1 } });
      } finally {
        await close();
      }
    }));
});
