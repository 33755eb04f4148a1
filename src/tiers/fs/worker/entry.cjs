/**
 * What the pool of threads loads. CommonJS, because the pool calls `require` first, and Node 20 aborts the whole process
 * when a thread is ended while it links an ES module that was asked for by `require`. One under `import()` may be ended.
 */
module.exports = import("./file-worker.js").then((worker) => worker.default);
