import { decode } from "@msgpack/msgpack";
import { Dealer, Subscriber } from "zeromq";

/** A message of a publisher, taken apart as a router does. */
export interface ReceivedBatch {
  readonly topic: string;
  readonly sequence: bigint;
  readonly time: number;
  readonly events: readonly unknown[];
  readonly rank: number;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function batchOf(topic: Uint8Array, sequence: Uint8Array, payload: Uint8Array): ReceivedBatch {
  const [time, events, rank] = decode(payload, { useBigInt64: true }) as [number, unknown[], number];
  return {
    topic: Buffer.from(topic).toString(),
    sequence: Buffer.from(sequence).readBigUInt64BE(),
    time,
    events,
    rank,
  };
}

/** Subscribes, and has the publisher say something until the subscription is known to have reached it. */
export async function subscribeTo(
  endpoint: string,
  topic: string,
  poke: () => Promise<unknown>,
): Promise<{ next(): Promise<ReceivedBatch>; close(): void }> {
  const socket = new Subscriber();
  socket.connect(endpoint);
  socket.subscribe(topic);
  const receive = async (): Promise<ReceivedBatch> => {
    const [first, second, third] = await socket.receive();
    return batchOf(first!, second!, third!);
  };
  let isThere = false;
  const first = receive().finally(() => (isThere = true));
  while (!isThere) {
    await poke();
    await settle();
  }
  await first;
  return { next: receive, close: () => socket.close() };
}

/** Asks for the batches from `start` on, as a subscriber does that missed some. */
export async function replayFrom(endpoint: string, start: bigint): Promise<ReceivedBatch[]> {
  const socket = new Dealer({ linger: 0 });
  try {
    socket.connect(endpoint);
    const frame = Buffer.alloc(8);
    frame.writeBigUInt64BE(start);
    await socket.send(["", frame]);
    const batches: ReceivedBatch[] = [];
    for (;;) {
      const [, sequence, payload] = await socket.receive();
      if (payload!.byteLength === 0) {
        if (sequence!.readBigInt64BE() !== -1n) throw new Error("A replay ended without its mark.");
        return batches;
      }
      batches.push(batchOf(Buffer.alloc(0), sequence!, payload!));
    }
  } finally {
    socket.close();
  }
}
