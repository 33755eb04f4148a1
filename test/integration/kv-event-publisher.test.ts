import { afterEach, describe, expect, it } from "@jest/globals";
import { connect } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { KvEventPublisher, type KvEventPublisherOptions } from "kvtier";
import { createTestTiering, type TestTiering } from "kvtier/testing";
import { Dealer } from "zeromq";
import { replayFrom, subscribeTo } from "../support/event-subscriber.js";
import { recordingLogger } from "../support/recording-logger.js";
import { storeZeros } from "../support/store-zeros.js";
import { until } from "../support/until.js";
import { keysOf } from "../unit/orchestrator/step-rig.js";

const BLOCK_BYTES = 1024;
const LOOPBACK = "tcp://127.0.0.1:*";

const opened: { close: () => Promise<void> }[] = [];

async function cacheOf(config: Record<string, unknown> = {}): Promise<TestTiering> {
  const tiering = await createTestTiering({
    cpu_bytes_to_use: 4 * BLOCK_BYTES,
    block_bytes: BLOCK_BYTES,
    model: { name: "m", dtype: "f16", tokens_per_block: 2 },
    enable_kv_cache_events: true,
    ...config,
  });
  opened.push(tiering);
  return tiering;
}

async function publish(
  { manager }: TestTiering,
  options: Partial<KvEventPublisherOptions> = {},
): Promise<KvEventPublisher> {
  const publisher = await KvEventPublisher.start(manager, {
    endpoint: LOOPBACK,
    replayEndpoint: LOOPBACK,
    now: () => 1234.5,
    ...options,
  });
  opened.unshift({ close: () => publisher.close() });
  return publisher;
}

/** Code of the error that a connection to `port` of this machine ends with; `null`: somebody listens there. */
function connectTo(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? ""));
    socket.once("connect", () => {
      socket.destroy();
      resolve(null);
    });
  });
}

/** All that was published, once everything put so far has been sent. */
async function published(publisher: KvEventPublisher): ReturnType<typeof replayFrom> {
  // A turn for the step, one for what it woke, and those in which batches are sent.
  for (let turn = 0; turn < 3 || publisher.stats.queuedBatches > 0; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return replayFrom(publisher.replayEndpoint ?? "", 0n);
}

afterEach(async () => {
  for (const { close } of opened.splice(0)) await close();
});

describe("KvEventPublisher", () => {
  it("reaches a ZeroMQ subscriber with topic, number and batch", async () => {
    const tiering = await cacheOf();
    const publisher = await publish(tiering, { topic: "kv@pod@m", dataParallelRank: 3 });
    let n = 100;
    const subscriber = await subscribeTo(publisher.endpoint, "kv@", () => storeZeros(tiering, n++));
    await storeZeros(tiering, 7);
    const isStored7 = (event: unknown): boolean =>
      isDeepStrictEqual(event, { ...(event as object), type: "BlockStored", block_hashes: [7n], medium: "CPU" });
    let batch = await subscriber.next();
    for (let last = batch.sequence; !batch.events.some(isStored7); last = batch.sequence) {
      batch = await subscriber.next();
      expect(batch.sequence).toBe(last + 1n);
    }
    expect(batch).toMatchObject({ topic: "kv@pod@m", time: 1234.5, rank: 3 });
    subscriber.close();
  });

  it("publishes what each medium got and lost, the batches numbered from 0", async () => {
    const tiering = await cacheOf({ secondary_tiers: [{ type: "example", enable_kv_events: true }] });
    const publisher = await publish(tiering);
    await storeZeros(tiering, 1, 2, 3, 4);
    await storeZeros(tiering, 5);
    const batches = await published(publisher);
    expect(batches.map(({ sequence }) => sequence)).toEqual(batches.map((_, i) => BigInt(i)));
    const events = batches.flatMap((batch) => batch.events);
    expect(events.filter((event) => (event as { type: string }).type === "BlockRemoved")).toEqual([
      { type: "BlockRemoved", block_hashes: [expect.anything()], medium: "CPU", group_idx: 0 },
    ]);
    expect(events).toHaveLength(5);
  });

  it("packs described blocks with their tokens", async () => {
    const tiering = await cacheOf();
    const publisher = await publish(tiering, { eventLayout: "array" });
    publisher.describe(keysOf(1, 2), { tokenIds: [10, 11, 12, 13] });
    await storeZeros(tiering, 1, 2);
    const [batch] = await published(publisher);
    expect(batch?.events).toMatchObject([
      ["BlockStored", [1n], null, [10, 11], 2, null, "CPU", null, null, 0],
      ["BlockStored", [2n], 1n, [12, 13], 2, null, "CPU", null, null, 0],
    ]);
    expect(publisher.stats).toMatchObject({ sentBatches: 1, describedBlocks: 2, droppedBatches: 0 });
  });

  it("replays from any number on, and ignores what it does not understand", async () => {
    const tiering = await cacheOf();
    const publisher = await publish(tiering, { replayBatches: 2 });
    for (const n of [1, 2, 3]) {
      await storeZeros(tiering, n);
      tiering.manager.events.deliver();
    }
    const stranger = new Dealer({ linger: 0 });
    stranger.connect(publisher.replayEndpoint ?? "");
    await stranger.send(["?"]);
    await stranger.send(["", "12"]);
    expect((await published(publisher)).map(({ sequence }) => sequence)).toEqual([1n, 2n]);
    expect(await replayFrom(publisher.replayEndpoint ?? "", 3n)).toEqual([]);
    stranger.close();
  });

  it("tells of the last stores of a cache that closes first", async () => {
    const tiering = await cacheOf({ secondary_tiers: [{ type: "example", enable_kv_events: true }] });
    const publisher = await publish(tiering);
    await tiering.cache.put(keysOf(1), [new Uint8Array(BLOCK_BYTES)]);
    await tiering.close();
    expect((await published(publisher)).flatMap(({ events }) => events)).toHaveLength(2);
  });

  it("leaves the cache alone once it is closed, and frees its port", async () => {
    const tiering = await cacheOf();
    const publisher = await publish(tiering);
    await storeZeros(tiering, 1);
    await Promise.all([publisher.close(), publisher.close()]);
    expect(publisher.stats).toMatchObject({ sentBatches: 1, queuedBatches: 0 });
    await storeZeros(tiering, 2);
    expect(tiering.manager.takeEvents()).toHaveLength(1);
    const { port } = new URL(publisher.endpoint);
    // ZeroMQ lets go of it in a thread of its own.
    await until("its port to be free", async () => (await connectTo(Number(port))) === "ECONNREFUSED");
  });

  it("closes in the middle of replays, and logs nothing", async () => {
    const tiering = await cacheOf();
    const { logger, lines } = recordingLogger();
    const publisher = await publish(tiering, { logger });
    for (let n = 0; n < 600; n++) {
      await storeZeros(tiering, n);
      tiering.manager.events.deliver();
    }
    const impatient = new Dealer({ linger: 0 });
    impatient.connect(publisher.replayEndpoint ?? "");
    for (let asked = 0; asked < 20; asked++) await impatient.send(["", Buffer.alloc(8)]);
    await impatient.receive();
    await publisher.close();
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    impatient.close();
    expect(lines).toEqual([]);
  });

  it("needs a cache that records events", async () => {
    const tiering = await cacheOf({ enable_kv_cache_events: false });
    await expect(publish(tiering)).rejects.toMatchObject({
      code: "INVALID_STATE",
      message: expect.stringContaining("enable_kv_cache_events"),
    });
  });

  it("says which address it cannot have", async () => {
    const tiering = await cacheOf();
    const { endpoint } = await publish(tiering);
    const taken = { endpoint: LOOPBACK, replayEndpoint: endpoint };
    await expect(publish(tiering, taken)).rejects.toMatchObject({
      code: "ADDRESS_INVALID",
      message: expect.stringContaining(endpoint),
    });
    await expect(publish(tiering, { endpoint: "tcp://*:no-port" })).rejects.toMatchObject({ code: "ADDRESS_INVALID" });
  });

  it("refuses options that cannot be, all at once", async () => {
    const tiering = await cacheOf();
    const options = { endpoint: "5557", maxQueuedBatches: 0, dataParallelRank: -1 };
    await expect(publish(tiering, options)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      problems: [{ path: "endpoint" }, { path: "maxQueuedBatches" }, { path: "dataParallelRank" }],
    });
  });
});
