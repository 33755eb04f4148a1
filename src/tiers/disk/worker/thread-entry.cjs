/**
 * What every thread of `DiskWorkers` starts with. CommonJS, and the rest by `import()`: Node 20 aborts the whole
 * process when a thread is ended while it links an ES module that was asked for by `require`.
 */
void import("./serve-tasks.js").then(({ serveTasks }) => serveTasks());
