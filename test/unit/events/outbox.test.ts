import { describe, expect, it } from "@jest/globals";
import { Outbox, type Batch } from "../../../src/events/outbox.js";
import { ReplayBuffer } from "../../../src/events/replay-buffer.js";
import { recordingLogger } from "../../support/recording-logger.js";

const EVENT = { type: "BlockRemoved" };

describe("Outbox", () => {
  it("sends one batch after the other, in order, and not in the turn of the caller", async () => {
    const sent: Batch[] = [];
    const { logger } = recordingLogger();
    const outbox = new Outbox({ capacity: 9, logger, send: async (batch) => void sent.push(batch) });
    outbox.put(1, [EVENT]);
    outbox.put(2, [EVENT, EVENT]);
    expect(sent).toEqual([]);
    await outbox.drain();
    expect(sent.map(({ sequence, time, events }) => [sequence, time, events.length])).toEqual([
      [0n, 1, 1],
      [1n, 2, 2],
    ]);
    expect(outbox.stats).toEqual({ sentBatches: 2, droppedBatches: 0, droppedEvents: 0, queuedBatches: 0 });
  });

  it("drops what comes when too many wait, counts it, leaves a gap in the numbers, and says so once", async () => {
    const numbers: bigint[] = [];
    const { logger, lines } = recordingLogger();
    const outbox = new Outbox({ capacity: 2, logger, send: async ({ sequence }) => void numbers.push(sequence) });
    for (let i = 0; i < 5; i++) outbox.put(i, [EVENT, EVENT]);
    expect(outbox.stats).toMatchObject({ queuedBatches: 2, droppedBatches: 3, droppedEvents: 6 });
    await outbox.drain();
    outbox.put(5, [EVENT]);
    await outbox.drain();
    expect(numbers).toEqual([0n, 1n, 5n]);
    expect(lines).toHaveLength(1);
  });

  it("counts a batch that cannot be sent as dropped, and goes on", async () => {
    const { logger, lines } = recordingLogger();
    let fails = true;
    const send = async (): Promise<void> => {
      if (fails) throw new Error("no route");
    };
    const outbox = new Outbox({ capacity: 2, logger, send });
    outbox.put(0, [EVENT]);
    await outbox.drain();
    fails = false;
    outbox.put(1, [EVENT]);
    await outbox.drain();
    expect(outbox.stats).toMatchObject({ sentBatches: 1, droppedBatches: 1, droppedEvents: 1 });
    expect(lines).toMatchObject([{ level: "warn", fields: { reason: "no route" } }]);
  });
});

describe("ReplayBuffer", () => {
  it("keeps the last batches, and gives them from a number on", () => {
    const buffer = new ReplayBuffer(2);
    for (const sequence of [0n, 1n, 5n]) buffer.add({ sequence, payload: new Uint8Array() });
    expect(buffer.from(0n).map(({ sequence }) => sequence)).toEqual([1n, 5n]);
    expect(buffer.from(2n).map(({ sequence }) => sequence)).toEqual([5n]);
    expect(buffer.from(6n)).toEqual([]);
  });
});
