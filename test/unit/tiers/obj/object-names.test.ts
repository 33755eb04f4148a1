import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../../../src/contracts/offload-key.js";
import { createTestSpec } from "../../../../src/testing/create-test-spec.js";
import { endpointUrl, objectPath, s3Endpoint } from "../../../../src/tiers/obj/endpoint.js";
import { ObjectNames } from "../../../../src/tiers/obj/object-names.js";
import { ObjStoreConfig } from "../../../../src/tiers/obj/store-config.js";

const spec = createTestSpec();
const key = makeOffloadKey("ab12", 3);

describe("The name of a block's object", () => {
  it("is below prefix and namespace, and has hash and group in it", () => {
    const names = new ObjectNames("kv/prod", spec);
    expect(names.of(key)).toMatch(/^kv\/prod\/test-model_[0-9a-f]{12}_r0\/ab\/ab12_g3\.bin$/);
    expect(new ObjectNames("kv/prod/", spec).of(key)).toBe(names.of(key));
    expect(new ObjectNames("", spec).of(key)).toBe(names.of(key).slice("kv/prod/".length));
  });

  it("is another for another model, element type, block size or rank", () => {
    const others = [
      createTestSpec({ blockBytes: 512 }),
      createTestSpec({ model: { ...spec.model, dtype: "bfloat16" } }),
      createTestSpec({ model: { ...spec.model, worldSize: 2, rank: 1 } }),
    ];
    const folders = [spec, ...others].map((each) => new ObjectNames("kv", each).folder);
    expect(new Set(folders).size).toBe(4);
  });

  it("is told from whatever else lies in the folder", () => {
    const names = new ObjectNames("kv", spec);
    expect(names.isBlock(names.of(key))).toBe(true);
    for (const other of ["probe", "ab/cd12_g3.bin", "ab/ab12_g3.bin.bak", "ab12_g3.bin"]) {
      expect(names.isBlock(names.folder + other)).toBe(false);
    }
  });

  it("is refused for keys that are too long", () => {
    expect(() => new ObjectNames("kv", spec).of(makeOffloadKey("ab".repeat(600)))).toThrow(/too long/);
  });
});

describe("The path of an object", () => {
  const config = (changes: Partial<ObjStoreConfig>): ObjStoreConfig =>
    Object.assign(new ObjStoreConfig(), { bucket: "kv", endpointOverride: "minio:9000" }, changes);

  it("has the bucket in it, or in the host", () => {
    const byPath = s3Endpoint(config({}));
    expect([byPath.origin, byPath.host, objectPath(byPath, "a/b c")]).toEqual([
      "http://minio:9000",
      "minio:9000",
      "/kv/a/b%20c",
    ]);
    const byHost = s3Endpoint(config({ useVirtualAddressing: true, scheme: "https" }));
    expect([byHost.origin, byHost.host, objectPath(byHost, "a"), objectPath(byHost, "")]).toEqual([
      "https://kv.minio:9000",
      "kv.minio:9000",
      "/a",
      "/",
    ]);
  });

  it("escapes what S3 wants escaped", () => {
    expect(objectPath(s3Endpoint(config({})), "a'(!*)+&ö")).toBe("/kv/a%27%28%21%2A%29%2B%26%C3%B6");
  });

  it("takes a port that goes without saying for none, as clients do in their headers", () => {
    expect(endpointUrl("http://minio:80", undefined)?.host).toBe("minio");
  });
});
