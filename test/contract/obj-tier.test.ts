import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { describeSecondaryTier } from "../../src/testing/index.js";
import { BUCKET, makeObjTier } from "../support/obj/make-obj-tier.js";
import { ScriptedS3 } from "../support/obj/scripted-s3.js";
import { startS3Emulator, type S3Emulator } from "../support/obj/s3-emulator.js";

const runner = { describe, it, expect };
let emulator: S3Emulator;
let inMemory: ScriptedS3;
/** Every test has a folder of the bucket to itself. */
let prefixes = 0;

beforeAll(async () => {
  emulator = await startS3Emulator(BUCKET);
  inMemory = await ScriptedS3.start();
});
afterAll(async () => {
  await emulator.close();
  await inMemory.close();
});

describeSecondaryTier(
  "obj",
  (env) => makeObjTier(emulator.endpoint, { context: env, config: { prefix: `suite/${prefixes++}` } }),
  runner,
);

describeSecondaryTier(
  "obj, with one connection, signed bodies and no checksums",
  (env) =>
    makeObjTier(inMemory.endpoint, {
      context: env,
      config: { prefix: `suite & ö+/${prefixes++}/`, ioThreads: 1, checksum: false },
      store: { reqChecksum: "supported" },
    }),
  runner,
);
