import { describe, expect, it } from "@jest/globals";
import { ManualClock } from "../../../../src/testing/manual-clock.js";
import { DiskThreads } from "../../../../src/tiers/disk/disk-threads.js";
import { recordingLogger } from "../../../support/recording-logger.js";

const ENTRY = new URL("../../../../src/tiers/fs/worker/file-worker.js", import.meta.url);

describe("DiskThreads", () => {
  it.each([
    [1, 1],
    [16, 2],
  ])("of at most %i movers starts none before it is told to, and then %i", async (movers, started) => {
    const threads = DiskThreads.start({
      entry: ENTRY,
      movers,
      workerData: { ioModule: "node:fs", blockBytes: 64, buffers: [] },
      context: { clock: new ManualClock(), logger: recordingLogger().logger, tierType: "fs" },
    });
    expect([threads.movers.idleThreads, threads.express.idleThreads]).toEqual([0, 1]);
    threads.startMovers();
    expect([threads.movers.idleThreads, threads.express.idleThreads]).toEqual([started, 1]);
    await threads.close(Infinity);
  });
});
