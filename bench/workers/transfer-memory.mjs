import { diskTier } from "../lib/built-tiers.mjs";
import { Stack } from "../lib/stack.mjs";
import { gibOfRequests, transfer2GiB } from "../lib/transfer.mjs";
import { Workload } from "../lib/workload.mjs";

/** @type {{ type: "fs" | "log", folder: string, blockBytes: number }} */
const { type, folder, blockBytes } = JSON.parse(process.argv[2] ?? "{}");

const workload = new Workload(blockBytes);
const requests = gibOfRequests(workload);
const before = process.memoryUsage().rss;
const stack = await Stack.open(workload, diskTier(type, folder));
await transfer2GiB(stack, requests);
await stack.close();
const peak = process.resourceUsage().maxRSS * 2 ** 10;

process.send?.({ grown: peak - before, pool: workload.bytes });
process.disconnect();
