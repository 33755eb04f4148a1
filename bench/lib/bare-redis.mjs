import { xxh64 } from "@node-rs/xxhash";
import { createClient } from "redis";
import { numbersOf } from "./bare-files.mjs";
import { inLanes } from "./in-lanes.mjs";

/** @import { BlockRequest, Workload } from "./workload.mjs" */
/** @typedef {{ inFlight: number, isChecked: boolean }} BareRedisOptions */

const AS_BYTES = { typeMapping: { 36: Buffer } };
const SUM_BYTES = 8;

/** The package `redis` as it is, with one connection, and blocks in shared memory; with a checksum behind each, or without. */
export class BareRedis {
  #client;
  #memory;
  #size;
  #inFlight;
  #isChecked;
  #prefix;

  /** @param {string} url @param {Workload} workload @param {BareRedisOptions} options */
  static async open(url, workload, options) {
    const bare = new BareRedis(url, workload, options);
    await bare.#client.connect();
    return bare;
  }

  /** @param {string} url @param {Workload} workload @param {BareRedisOptions} options */
  constructor(url, workload, { inFlight, isChecked }) {
    this.#client = createClient({ url });
    this.#memory = workload.allocate();
    this.#size = workload.blockBytes;
    for (let n = 0; n < workload.blocks; n++) workload.content.fill(n, this.#memory.block(n));
    this.#inFlight = inFlight;
    this.#isChecked = isChecked;
    this.#prefix = isChecked ? "checked:" : "bare:";
  }

  /** So that the server makes room anew for each run, as it does for the tier. @param {readonly BlockRequest[]} requests */
  clear(requests) {
    return this.#each(requests, (key) => this.#client.sendCommand(["UNLINK", key]));
  }

  /** @param {readonly BlockRequest[]} requests */
  store(requests) {
    return this.#each(requests, (key, block) => this.#client.sendCommand(["SET", key, this.#valueOf(block)]));
  }

  /** @param {readonly BlockRequest[]} requests */
  load(requests) {
    return this.#each(requests, async (key, block) => {
      const value = await this.#client.sendCommand(["GET", key], AS_BYTES);
      if (!(value instanceof Buffer)) throw new Error("The client found no block.");
      if (this.#isChecked) this.#check(value);
      block.set(value.subarray(0, this.#size));
    });
  }

  close() {
    this.#client.destroy();
  }

  /** @param {readonly BlockRequest[]} requests @param {(key: string, block: Uint8Array) => Promise<unknown>} work */
  #each(requests, work) {
    return inLanes(numbersOf(requests).values(), this.#inFlight, (n) => work(this.#prefix + n, this.#memory.block(n)));
  }

  /** @param {Uint8Array} block */
  #valueOf({ buffer, byteOffset, byteLength }) {
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (!this.#isChecked) return bytes;
    const value = Buffer.allocUnsafe(byteLength + SUM_BYTES);
    value.set(bytes);
    value.writeBigUInt64LE(xxh64(bytes), byteLength);
    return value;
  }

  /** @param {Buffer} value */
  #check(value) {
    if (value.readBigUInt64LE(this.#size) !== xxh64(value.subarray(0, this.#size))) throw new Error("Wrong bytes.");
  }
}
