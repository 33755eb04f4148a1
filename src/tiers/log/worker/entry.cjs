/** What the pool of threads loads; CommonJS for the reason that `DiskWorkersOptions.entry` gives. */
module.exports = import("./segment-worker.js").then((worker) => worker.default);
