/**
 * The benches, in the order in which they run, each in a process of its own. To add one, add its file and a line here.
 *
 * @typedef {object} Row
 * @property {string} id may be that of several files
 * @property {string} file
 * @property {string} title what it measures, in a few words
 * @property {readonly string[]} [nodeOptions]
 */

/** @type {readonly Row[]} */
export const ROWS = [
  {
    id: "P1",
    file: "p1-primary-lookup.mjs",
    title: "look-up of a block in the pool",
    nodeOptions: ["--expose-gc", "--min-semi-space-size=64", "--max-semi-space-size=64"],
  },
  { id: "P2", file: "p2-store-cycle.mjs", title: "store of a block, bookkeeping only" },
  { id: "P2b", file: "p2b-promotion-cycle.mjs", title: "promotion of a block, bookkeeping only" },
  {
    id: "P3",
    file: "p3-bookkeeping.mjs",
    title: "memory for bookkeeping",
    nodeOptions: ["--expose-gc"],
  },
  { id: "P4", file: "p4-fs.mjs", title: "the fs tier through the whole stack" },
  { id: "P5", file: "p5-log.mjs", title: "the log tier through the whole stack" },
  { id: "P6", file: "p6-event-loop.mjs", title: "delay of the event loop under load" },
  { id: "P7", file: "p7-redis.mjs", title: "the redis tier through the whole stack" },
  { id: "P8", file: "p8-obj.mjs", title: "the obj tier through the whole stack" },
  { id: "P9", file: "p9-peers-disk.mjs", title: "general caches with file stores" },
  { id: "P9", file: "p9-peers-memory.mjs", title: "general caches with memory stores" },
  { id: "P10", file: "p10-cold-start.mjs", title: "cold start" },
  { id: "P11", file: "p11-memory.mjs", title: "memory of a transfer" },
  {
    id: "P12",
    file: "p12-cost-growth.mjs",
    title: "cost of the pool's bookkeeping as it grows",
    nodeOptions: ["--max-old-space-size=8192"],
  },
  { id: "P13", file: "p13-replay.mjs", title: "replay of a request trace" },
];
