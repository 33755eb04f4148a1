import { describe, expect, it } from "@jest/globals";
import type { KvBlockView } from "../../src/contracts/kv-block-view.js";
import { describeSecondaryTier, FaultyDisk } from "../../src/testing/index.js";
import { makeLogTier } from "../support/make-log-tier.js";

const runner = { describe, it, expect };

/** The same memory, as threads would not reach it: blocks have to be staged. */
const asPlainMemory = (view: KvBlockView): KvBlockView => ({
  numBlocks: view.numBlocks,
  blockBytes: view.blockBytes,
  slabs: view.slabs,
  isShared: false,
  block: (blockId) => view.block(blockId),
  locate: (blockId) => view.locate(blockId),
});

describeSecondaryTier("log", (env) => makeLogTier(env.folder, { context: env }), runner);

describeSecondaryTier(
  "log, in segments of a few blocks",
  (env) =>
    makeLogTier(env.folder, {
      context: { ...env, enableKvEvents: true },
      config: { segmentBytes: 2 * 4096 + 3 * 1000, maxBytes: 40 * (2 * 4096 + 3 * 1000) },
    }),
  runner,
);

describeSecondaryTier(
  "log, over plain memory and without checksums",
  (env) =>
    makeLogTier(env.folder, {
      context: { ...env, primaryKvView: asPlainMemory(env.primaryKvView) },
      config: { checksum: false },
    }),
  runner,
);

describeSecondaryTier(
  "log, with more threads and a file system that moves a few bytes at a time",
  (env) => {
    const disk = new FaultyDisk();
    disk.set("write", { maxBytes: 7 });
    disk.set("read", { maxBytes: 7 });
    return makeLogTier(env.folder, {
      context: env,
      config: { nReadThreads: 3, nWriteThreads: 2, segmentBytes: "64KiB" as unknown as number },
      disk,
    });
  },
  runner,
);
