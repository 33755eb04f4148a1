import { setTimeout as pause } from "node:timers/promises";
import { createTiering } from "kvtier";

/** @import { BlockRequest, Workload } from "./workload.mjs" */

/** Look-ups by the tier alone: a cache would go on and load. */
export class TierLookups {
  #tiering;
  #tier;
  #keys;
  #runs = 0;

  /** @param {Workload} workload @param {Readonly<Record<string, unknown>>} config @param {readonly BlockRequest[]} requests */
  static async open({ blockBytes }, config, requests) {
    const model = { name: "bench", dtype: "float16", tokens_per_block: 16 };
    const tiering = await createTiering({ cpu_bytes_to_use: blockBytes, block_bytes: blockBytes, model });
    const tier = await tiering.factory.createSecondaryTier(config);
    return new TierLookups(
      tiering,
      tier,
      requests.flatMap(({ keys }) => keys),
    );
  }

  /** @param {import("kvtier").Tiering} tiering @param {import("kvtier").SecondaryTierManager} tier @param {import("kvtier").OffloadKey[]} keys */
  constructor(tiering, tier, keys) {
    this.#tiering = tiering;
    this.#tier = tier;
    this.#keys = keys;
  }

  /** Each request asks for every block, once: what is known already is not asked for again. @param {number} times */
  async run(times) {
    for (let asked = 0; asked < times; asked += this.#keys.length) {
      const request = { reqId: `run-${this.#runs++}` };
      const keys = this.#keys.slice(0, times - asked);
      const isPending = () => keys.map((key) => this.#tier.lookup(key, request)).some((verdict) => verdict === "retry");
      isPending();
      this.#tier.onScheduleEnd({ newReqIds: [], preemptedReqIds: [] });
      // To look all the time would take a processor from the server.
      while (isPending()) await pause(1);
      if (keys.some((key) => this.#tier.lookup(key, request) !== "hit")) throw new Error("A block was not found.");
      this.#tier.onRequestFinished(request);
    }
  }

  close() {
    return this.#tiering.close();
  }
}
