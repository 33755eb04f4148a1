import assert from "node:assert/strict";
import { silentLogger } from "../../src/contracts/logger.js";
import { createTiering, type SecondaryTierInput } from "../../src/index.js";
import { expectOwnBytes, withoutStrayRejections } from "./disk-rig.js";
import { KnownBlocks, seeded } from "./known-blocks.js";
import { until } from "./until.js";

const BLOCK_BYTES = 64 * 1024;
/** Far fewer than there are blocks, so that most hits are the tier's. */
const POOL_BLOCKS = 8;
const BLOCKS = 64;
const CLIENTS = 4;

/** Requests that never stop, while something happens to the servers of a tier. */
export interface TierLoad {
  /** Waits until so many more requests are answered, whatever the answers. */
  requests(count: number): Promise<void>;
  /** Waits until so many more blocks came from the tier. */
  hits(count: number): Promise<void>;
  /** One of the tier's figures. */
  figure(name: string): number;
}

/**
 * Runs `faults` while four clients look blocks up in a cache over this tier, check every byte, and
 * store what is missing. Afterwards nothing is pinned or under way, and no rejection was left unhandled.
 */
export async function underLoad(tier: SecondaryTierInput, faults: (load: TierLoad) => Promise<void>): Promise<void> {
  await withoutStrayRejections(async () => {
    const tiering = await createTiering(
      {
        cpu_bytes_to_use: POOL_BLOCKS * BLOCK_BYTES,
        block_bytes: BLOCK_BYTES,
        model: { name: "load", dtype: "float16", tokens_per_block: 16 },
        secondary_tiers: [{ deadline_s: 1, ...tier }],
      },
      { logger: silentLogger },
    );
    try {
      await runLoad(tiering, faults);
    } finally {
      await tiering.close();
    }
  });
}

type Tiering = Awaited<ReturnType<typeof createTiering>>;

async function runLoad({ cache }: Tiering, faults: (load: TierLoad) => Promise<void>): Promise<void> {
  const blocks = new KnownBlocks(BLOCK_BYTES, BLOCKS);
  const figure = (name: string): number => cache.stats().tiers[0]?.figures[name] ?? 0;
  let answered = 0;
  let isOver = false;
  const client = async (seed: number): Promise<void> => {
    // At random: a server that evicts the least recently used would never hold what is asked for in turn.
    const random = seeded(seed);
    while (!isOver) {
      const n = Math.floor(random() * BLOCKS);
      const [block] = await cache.get([blocks.keyOf(n)]);
      if (block === undefined) await cache.put([blocks.keyOf(n)], [blocks.bytesOf(n)]);
      else expectOwnBytes(block, blocks.bytesOf(n));
      answered++;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, (_, i) => client(i)));
  // A client that fails ends the waiting too.
  const orFailed = (what: string, holds: () => boolean): Promise<unknown> =>
    Promise.race([until(what, holds), clients]);
  try {
    await faults({
      figure,
      async requests(count) {
        const goal = answered + count;
        await orFailed("requests to be answered", () => answered >= goal);
      },
      async hits(count) {
        const goal = figure("blocksRead") + count;
        await orFailed("hits", () => figure("blocksRead") >= goal);
      },
    });
  } finally {
    isOver = true;
    await clients;
  }
  await cache.flush();
  const { primary, tiers } = cache.stats();
  const { activeCascades, activePromotions } = tiers[0] ?? {};
  await until("what is late to end", () => figure("running") === 0);
  assert.deepEqual(
    [primary.busyBlocks, activeCascades, activePromotions, figure("queuedStores"), figure("queuedLoads")],
    [0, 0, 0, 0, 0],
  );
}
