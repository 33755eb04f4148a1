// A cache that is watched: its metrics for Prometheus, a diagnostics channel, and its block events over ZeroMQ.
import { subscribe } from "node:diagnostics_channel";
import { decode } from "@msgpack/msgpack";
import { createTiering, hashBlocks, KvEventPublisher, makeOffloadKey, type TransferMessage } from "kvtier";
import { registerKvTierMetrics } from "kvtier/prometheus";
import { Registry } from "prom-client";
import { Dealer } from "zeromq";

const BLOCK_BYTES = 4096;
const TOKENS_PER_BLOCK = 4;

const { cache, manager, close } = await createTiering({
  cpu_bytes_to_use: 16 * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "llama-3-8b", dtype: "float16", tokens_per_block: TOKENS_PER_BLOCK },
  enable_kv_cache_events: true,
  secondary_tiers: [{ type: "example", enable_kv_events: true }],
});

// What a route such as /metrics answers.
const registry = new Registry();
registerKvTierMetrics(registry, manager, { labels: { cache: "llama-3" } });

// What goes on, as it goes on.
subscribe("kvtier:cascade", (message) => {
  const { tier, blocks, bytes } = message as TransferMessage;
  console.log(`cascade: ${blocks} blocks, ${bytes} bytes into ${tier}`);
});

// What routers are told. A free port each: where routers look, it would be one that they know.
const publisher = await KvEventPublisher.start(manager, {
  endpoint: "tcp://127.0.0.1:*",
  replayEndpoint: "tcp://127.0.0.1:*",
  topic: "kv@localhost@llama-3-8b",
});

const tokens = Array.from({ length: 3 * TOKENS_PER_BLOCK }, (_, i) => 1000 + i);
const keys = hashBlocks(tokens, TOKENS_PER_BLOCK).map((hash) => makeOffloadKey(hash));
publisher.describe(keys, { tokenIds: tokens });
await cache.put(
  keys,
  keys.map((_, i) => new Uint8Array(BLOCK_BYTES).fill(i)),
);
await cache.flush();
await manager.resetCache();
console.log(`got back ${(await cache.get(keys)).length} blocks`);

const scrape = await registry.metrics();
for (const name of ["chunk_hits_total", "write_bytes_total", "read_bytes_total"]) {
  console.log(scrape.split("\n").find((line) => line.startsWith(`kvtier_${name}{tier="1:example"`)));
}

// The cache first, so that its last stores are told of.
await close();

// A router that comes late asks for what it missed, from batch 0 on.
const router = new Dealer();
router.connect(publisher.replayEndpoint ?? "");
await router.send(["", Buffer.alloc(8)]);
for (;;) {
  const [, number, payload] = await router.receive();
  if (number === undefined || payload === undefined || payload.byteLength === 0) break;
  const [, events] = decode(payload, { useBigInt64: true }) as [number, { type: string; medium: string }[]];
  for (const { type, medium } of events) console.log(`batch ${number.readBigUInt64BE()}: ${type} ${medium}`);
}
router.close();
await publisher.close();
