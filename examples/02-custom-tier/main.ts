// A tier of one's own: see http-tier.ts. This file runs it against a small server that keeps bodies in memory.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { createTiering, hashBlocks, makeOffloadKey } from "kvtier";
import { HttpTier } from "./http-tier.js";

const bodies = new Map<string, Buffer>();
const server = createServer((request, response) => {
  const url = request.url ?? "";
  const found = bodies.get(url);
  if (request.method === "PUT") {
    void buffer(request).then((body) => {
      bodies.set(url, body);
      response.writeHead(201).end();
    });
  } else if (found === undefined) response.writeHead(404).end();
  else response.writeHead(200).end(request.method === "HEAD" ? undefined : found);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const BLOCK_BYTES = 16 * 1024;
const { cache, close } = await createTiering(
  {
    cpu_bytes_to_use: 8 * BLOCK_BYTES,
    block_bytes: BLOCK_BYTES,
    model: { name: "tiny", dtype: "float16", tokens_per_block: 16 },
    secondary_tiers: [{ type: "http", base_url: `http://127.0.0.1:${port}` }],
  },
  { tiers: [HttpTier] },
);

const promptKeys = (first: number) =>
  hashBlocks(
    Array.from({ length: 8 * 16 }, (_, i) => first + i),
    16,
  ).map((hash) => makeOffloadKey(hash));
const blocks = Array.from({ length: 8 }, (_, i) => new Uint8Array(BLOCK_BYTES).fill(i + 1));
await cache.put(promptKeys(0), blocks);
await cache.flush();
await cache.put(promptKeys(1000), blocks); // the pool has room for one prompt only
await cache.flush();

const restored = await cache.get(promptKeys(0));
const exact =
  restored.length === 8 && restored.every((block, i) => Buffer.compare(block, blocks[i] ?? Buffer.of()) === 0);
console.log(`${bodies.size} blocks on the server, ${restored.length} restored, every byte right: ${exact}`);

await close();
server.close();
if (!exact) process.exitCode = 1;
