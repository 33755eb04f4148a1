import { systemClock } from "../../src/contracts/clock.js";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { patternOf } from "./block-pattern.js";
import { makeFsTier } from "./make-fs-tier.js";

/**
 * A second process for tests of the fs tier: `fs-process.ts <root> <blockBytes> <from> <to> <maxBytes>` stores
 * the blocks `from` to `to - 1`, four at a time, and prints a line of JSON for each job; before that, where the first one
 * goes. A `maxBytes` of 0 is none.
 */
const [root = "", ...numbers] = process.argv.slice(2);
const [blockBytes = 0, from = 0, to = 0, maxBytes = 0] = numbers.map(Number);
const IN_JOB = 4;

const offloadingSpec = createTestSpec({ blockBytes, numBlocks: 8 });
const primaryKvView = PrimaryKvView.allocate(8, blockBytes);
const keyOf = (n: number): ReturnType<typeof makeOffloadKey> => makeOffloadKey(n.toString(16).padStart(64, "0"));
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

let finished = (): void => {};
// A tier alone keeps no process alive.
const keepAlive = setInterval(() => {}, 2 ** 30);
const tier = makeFsTier(root, {
  context: { offloadingSpec, primaryKvView, clock: systemClock, notify: () => finished() },
  ...(maxBytes > 0 && { config: { maxBytes } }),
});
await tier.initialize();
say({ path: `${fsNamespace(offloadingSpec.model, blockBytes).blocks}/${blockFileOf(keyOf(from))}` });
for (let first = from; first < to; first += IN_JOB) {
  const ns = Array.from({ length: Math.min(IN_JOB, to - first) }, (_, i) => first + i);
  ns.forEach((n, slot) => primaryKvView.block(slot).set(patternOf(n, blockBytes)));
  const done = new Promise<void>((resolve) => (finished = resolve));
  tier.submitStore({
    jobId: first,
    keys: ns.map(keyOf),
    blockIds: Int32Array.from(ns.keys()),
    isPromotion: false,
    reqContext: { reqId: "child" },
    submitTime: systemClock.now(),
  });
  await done;
  say(tier.getFinishedJobs().map(({ success, transferBytes }) => ({ success, transferBytes })));
}
await tier.shutdown();
clearInterval(keepAlive);
