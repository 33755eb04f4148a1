import { describe, expect, it } from "@jest/globals";
import type { KvBlockView } from "../../src/contracts/kv-block-view.js";
import { describeSecondaryTier, FaultyDisk } from "../../src/testing/index.js";
import { makeFsTier } from "../support/make-fs-tier.js";

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

describeSecondaryTier("fs", (env) => makeFsTier(env.folder, { context: env }), runner);

describeSecondaryTier(
  "fs, over plain memory",
  (env) => makeFsTier(env.folder, { context: { ...env, primaryKvView: asPlainMemory(env.primaryKvView) } }),
  runner,
);

describeSecondaryTier(
  "fs, with more threads and a file system that moves a few bytes at a time",
  (env) => {
    const disk = new FaultyDisk();
    disk.set("write", { maxBytes: 7 });
    return makeFsTier(env.folder, { context: env, config: { nReadThreads: 3, nWriteThreads: 2 }, disk });
  },
  runner,
);

describeSecondaryTier(
  "fs, with a bound, over two folders",
  (env) =>
    makeFsTier(`${env.folder}/a,${env.folder}/b`, {
      context: env,
      config: { pathSharding: "by_block_hash", maxBytes: 2 ** 20, directIo: "on" },
    }),
  runner,
);
