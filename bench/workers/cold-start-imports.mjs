import { performance } from "node:perf_hooks";

const start = performance.now();
await import("reflect-metadata");
await import("inversify");
await import("class-validator");
await import("class-transformer");
const ms = performance.now() - start;

process.send?.(ms);
process.disconnect();
