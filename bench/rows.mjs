/**
 * The benches, in the order in which they run, each in a process of its own. To add one, add its file and a line here.
 *
 * @typedef {object} Row
 * @property {string} id
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
  {
    id: "P12",
    file: "p12-cost-growth.mjs",
    title: "cost of the pool's bookkeeping as it grows",
    nodeOptions: ["--max-old-space-size=8192"],
  },
];
