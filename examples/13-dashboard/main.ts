// A page that shows a cache live, in an HTTP server of the application. `node main.js` shows that it is there and ends;
// `node main.js --stay` stays, for a browser.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createDashboardHandler, createTiering, dashboardSource, hashBlocks, makeOffloadKey } from "kvtier";

const BLOCK_BYTES = 4096;

const { cache, container, close } = await createTiering({
  cpu_bytes_to_use: 64 * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "llama-3-8b", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "example" }],
});

const page = createDashboardHandler([dashboardSource("llama-3-8b", container)], { basePath: "/kvtier" });

const server = createServer((request, response) => {
  // The page answers what is its own, and leaves the rest.
  if (page(request, response)) return;
  response.end("This is the application.\n");
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}/kvtier/`;

const keys = hashBlocks(Uint32Array.from({ length: 64 }), 16).map((hash) => makeOffloadKey(hash));
await cache.put(
  keys,
  keys.map(() => new Uint8Array(BLOCK_BYTES)),
);
await cache.flush();

console.log(`The page is at ${url}`);
if (process.argv.includes("--stay")) await once(process, "SIGINT");

const html = await (await fetch(url)).text();
if (!html.includes("<title>kvtier</title>")) throw new Error("There is no page.");

page.close();
server.close();
server.closeAllConnections();
await close();
