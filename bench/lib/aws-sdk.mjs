import { Buffer } from "node:buffer";
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { numbersOf } from "./bare-files.mjs";
import { inLanes } from "./in-lanes.mjs";

/** @import { BlockRequest, Workload } from "./workload.mjs" */
/** @typedef {{ bucket: string, endpoint_override: string, region: string, access_key: string, secret_key: string }} StoreConfig */

/** As the obj tier has them by default. */
const IN_FLIGHT = 4;
const LOOKUPS_IN_FLIGHT = 16;

/** AWS's client, as an application would use it on a store that is not AWS's. */
export class AwsSdk {
  #client;
  #memory;
  /** @type {(n: number) => { Bucket: string, Key: string }} */
  #object;

  /** @param {StoreConfig} store @param {string} prefix @param {Workload} workload */
  constructor(store, prefix, workload) {
    this.#object = (n) => ({ Bucket: store.bucket, Key: `${prefix}/${n}` });
    this.#client = new S3Client({
      endpoint: store.endpoint_override,
      region: store.region,
      forcePathStyle: true,
      credentials: { accessKeyId: store.access_key, secretAccessKey: store.secret_key },
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
    this.#memory = workload.allocate();
    for (let n = 0; n < workload.blocks; n++) workload.content.fill(n, this.#memory.block(n));
  }

  /** @param {readonly BlockRequest[]} requests */
  async store(requests) {
    await inLanes(numbersOf(requests).values(), IN_FLIGHT, async (n) => {
      const { buffer, byteOffset, byteLength } = this.#memory.block(n);
      await this.#client.send(
        new PutObjectCommand({ ...this.#object(n), Body: Buffer.from(buffer, byteOffset, byteLength) }),
      );
    });
  }

  /** @param {readonly BlockRequest[]} requests */
  async load(requests) {
    await inLanes(numbersOf(requests).values(), IN_FLIGHT, async (n) => {
      const { Body } = await this.#client.send(new GetObjectCommand(this.#object(n)));
      if (Body === undefined) throw new Error("The client found no block.");
      this.#memory.block(n).set(await Body.transformToByteArray());
    });
  }

  /** Asks `times` times for the first block. @param {number} times */
  async head(times) {
    await inLanes(Array.from({ length: times }, () => 0).values(), LOOKUPS_IN_FLIGHT, async (n) => {
      await this.#client.send(new HeadObjectCommand(this.#object(n)));
    });
  }

  close() {
    this.#client.destroy();
  }
}
