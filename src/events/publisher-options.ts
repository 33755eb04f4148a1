import { configInvalid } from "../config/config-invalid.js";
import type { Logger } from "../contracts/logger.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";

export interface KvEventPublisherOptions {
  /**
   * Where events are published, such as `tcp://*:5557`. As in vLLM it is bound if it has a `*` or `::`, or is an `ipc:`
   * or `inproc:` address; else it is connected to. Whoever reaches it reads the tokens of described blocks: bind it
   * where routers are, and nobody else.
   */
  readonly endpoint: string;
  /** Where subscribers ask for batches that they missed; always bound. Absent: they cannot. */
  readonly replayEndpoint?: string;
  /** First frame of every message, by which subscribers choose. @default "" */
  readonly topic?: string;
  /** Of this engine, in every batch. Ports are not moved by it. @default 0 */
  readonly dataParallelRank?: number;
  /**
   * How an event is packed: `map` by the names of its fields, as vLLM does since June 2026; `array` by their order, as before
   * that.
   *
   * @default "map"
   */
  readonly eventLayout?: "map" | "array";
  /** How block hashes are packed: their last 8 bytes as an unsigned number, vLLM's default, or all of them. @default "uint64" */
  readonly blockHashes?: "uint64" | "bytes";
  /** Batches that may wait to be sent; over it they are dropped, and counted. A batch is what happened in one step. @default 10000 */
  readonly maxQueuedBatches?: number;
  /** Batches that are kept for subscribers who missed them. @default 10000 */
  readonly replayBatches?: number;
  /** Blocks whose description is kept; over it the one described first goes. @default 100000 */
  readonly maxDescribedBlocks?: number;
  /** @default `consoleLogger` */
  readonly logger?: Logger;
  /** Seconds since 1970, the time of a batch. Absent: the process's. */
  readonly now?: () => number;
}

const TRANSPORT = /^(?:tcp|ipc|inproc):\/\/./;

/** @throws KvTierError `CONFIG_INVALID` */
export function checkPublisherOptions(options: KvEventPublisherOptions): void {
  const problems: ConfigProblem[] = [];
  const check = (isRight: boolean, path: keyof KvEventPublisherOptions, message: string): void => {
    if (!isRight) problems.push({ path, message });
  };
  const { endpoint, replayEndpoint, topic, eventLayout = "map", blockHashes = "uint64" } = options;
  const isAddress = (value: unknown): boolean => typeof value === "string" && TRANSPORT.test(value);
  const anAddress = "must be an address such as tcp://*:5557";
  check(isAddress(endpoint), "endpoint", anAddress);
  check(replayEndpoint === undefined || isAddress(replayEndpoint), "replayEndpoint", anAddress);
  check(topic === undefined || typeof topic === "string", "topic", "must be a string");
  check(["map", "array"].includes(eventLayout), "eventLayout", "must be 'map' or 'array'");
  check(["uint64", "bytes"].includes(blockHashes), "blockHashes", "must be 'uint64' or 'bytes'");
  for (const path of ["maxQueuedBatches", "replayBatches", "maxDescribedBlocks"] as const) {
    const count = options[path] ?? 1;
    check(Number.isSafeInteger(count) && count > 0, path, "must be a positive integer");
  }
  const { dataParallelRank = 0 } = options;
  check(
    Number.isSafeInteger(dataParallelRank) && dataParallelRank >= 0,
    "dataParallelRank",
    "must be an integer from 0",
  );
  if (problems.length > 0) throw configInvalid(problems, "options of KvEventPublisher");
}
