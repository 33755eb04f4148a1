import { describe, expect, it } from "@jest/globals";
import { makeObjTier } from "../../../support/obj/make-obj-tier.js";
import { BLOCK_BYTES, ObjRig } from "../../../support/obj/obj-rig.js";
import { refuse, ScriptedS3, type S3Call } from "../../../support/obj/scripted-s3.js";
import { errorOf } from "../../../support/tiering-container.js";
import { keyOf } from "../shared/fake-store.js";

/** The one object that is stored. */
function onlyObject({ s3 }: ObjRig): { name: string; body: Buffer; metadata: Readonly<Record<string, string>> } {
  const [[name, object] = ["", { body: Buffer.alloc(0), metadata: {} }]] = s3.objects;
  return { name, ...object };
}

describe("A block on an object store that is not what was stored", () => {
  it.each<[string, (body: Buffer) => Buffer]>([
    ["a bit is another", (body) => Buffer.from(body.map((byte, i) => (i === 500 ? byte ^ 1 : byte)))],
    ["it is too short", (body) => body.subarray(1)],
  ])("is a failed load, is deleted, and is stored anew: %s", (_name, damage) =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      const { name, body, metadata } = onlyObject(rig);
      rig.s3.objects.set(name, { body: damage(body), metadata });
      expect(await rig.load(1, 300)).toMatchObject({ success: false });
      while (rig.s3.objects.has(name)) await new Promise((resolve) => setImmediate(resolve));
      expect(await rig.store(1)).toMatchObject({ success: true, transferBytes: BLOCK_BYTES });
      expect(await rig.load(1, 300)).toMatchObject({ success: true });
    }),
  );

  it("misses when its size is wrong", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      const { name, body, metadata } = onlyObject(rig);
      rig.s3.objects.set(name, { body: body.subarray(1), metadata });
      expect(await rig.verdict(1, "a")).toBe("miss");
    }));

  it("does not pass under another block's name", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      const one = onlyObject(rig);
      await rig.store(2);
      const two = [...rig.s3.objects.keys()].find((name) => name !== one.name) ?? "";
      rig.s3.objects.set(two, one);
      expect(await rig.load(2, 300)).toMatchObject({ success: false });
      expect(rig.figure("checksumFailures")).toBe(1);
    }));

  it("loads without a checksum when it was stored without one", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      const { name, body } = onlyObject(rig);
      rig.s3.objects.set(name, { body, metadata: {} });
      expect(await rig.load(1, 300)).toMatchObject({ success: true });
    }));
});

describe("An obj tier whose server is slow or busy", () => {
  it("tries again what a busy server refused, and what a broken connection lost", () =>
    ObjRig.use({}, async (rig) => {
      let refused = 0;
      rig.s3.script = (_call, response) => {
        if (refused++ > 1) return false;
        if (refused === 1) refuse(response, 503, "SlowDown");
        else response.destroy();
        return true;
      };
      expect(await rig.store(1)).toMatchObject({ success: true });
      expect([rig.figure("retries"), rig.figure("engineFailures")]).toEqual([2, 0]);
    }));

  it("takes an answer that ends early for none, and the object for whole", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      rig.s3.script = (call, response) => {
        if (call.method !== "GET") return false;
        response.writeHead(200, { "content-length": BLOCK_BYTES });
        response.write(Buffer.alloc(10), () => response.destroy());
        return true;
      };
      expect(await rig.load(1, 300)).toMatchObject({ success: false });
      expect([rig.figure("engineFailures"), rig.s3.objects.size]).toEqual([1, 1]);
    }));

  it.each([201, 202, 203, 204, 205, 206])("takes an answer of %i for none: it puts no bytes into a block", (status) =>
    ObjRig.use({ config: { checksum: false } }, async (rig) => {
      await rig.store(1);
      rig.s3.script = (call, response) => {
        if (call.method !== "GET") return false;
        const hasBody = status !== 204 && status !== 205;
        response.writeHead(status, hasBody ? { "content-length": BLOCK_BYTES } : {});
        response.end(hasBody ? Buffer.alloc(BLOCK_BYTES, 2) : undefined);
        return true;
      };
      expect(await rig.load(1, 300)).toMatchObject({ success: false });
    }),
  );

  it("gives up at the deadline, and lets go of block and connection", () =>
    ObjRig.use({}, async (rig) => {
      await rig.store(1);
      let arrived = (): void => {};
      const isOut = new Promise<void>((resolve) => (arrived = resolve));
      rig.s3.script = () => {
        arrived();
        return true;
      };
      const load = rig.submitLoad(1, 300);
      await isOut;
      rig.clock.advance(30);
      const { success, blocksReleased } = await rig.resultOf(load);
      await blocksReleased;
      expect(success).toBe(false);
      expect(rig.figure("running")).toBe(0);
      expect(rig.slot(300).every((byte) => byte === 301 % 256)).toBe(true);
    }));
});

describe("Clearing and removing", () => {
  it("touch blocks of the namespace alone, however many pages they fill", () =>
    ObjRig.use({ config: { prefix: "kv & more" } }, async (rig) => {
      await rig.store(...Array.from({ length: 35 }, (_, n) => n));
      const [folder = ""] = /^.*_r0\//.exec(onlyObject(rig).name) ?? [];
      const others = ["a", `${folder}notes.txt`, `${folder.replace("_r0", "_r1")}ab/ab12_g0.bin`, "kv & more/x"];
      for (const name of others) rig.s3.objects.set(name, { body: Buffer.alloc(1), metadata: {} });
      await rig.tier.remove([keyOf(3), keyOf(400)]);
      expect(rig.s3.objects.size).toBe(34 + others.length);
      await rig.tier.clear();
      expect([...rig.s3.objects.keys()].sort()).toEqual([...others].sort());
      expect(await rig.verdict(1, "a")).toBe("miss");
    }));
});

describe("Starting an obj tier", () => {
  const failureOf = async (store: object, endpoint: string): Promise<Error> => {
    const tier = makeObjTier(endpoint, { store });
    try {
      return await errorOf(() => tier.initialize());
    } finally {
      await tier.shutdown();
    }
  };

  it.each([
    [404, "NoSuchBucket", /Create the bucket/],
    [403, "InvalidAccessKeyId", /does not know this access_key/],
    [403, "SignatureDoesNotMatch", /Check secret_key/],
    [403, "AccessDenied", /s3:ListBucket/],
    [403, "RequestTimeTooSkewed", /check NTP/],
    [400, "AuthorizationHeaderMalformed", /correct region/],
    [400, "ExpiredToken", /have expired/],
  ])("fails when the server answers %d %s, and says what to check and no secret", async (status, code, hint) => {
    const s3 = await ScriptedS3.start();
    const calls: S3Call[] = [];
    s3.script = (call, response) => {
      calls.push(call);
      refuse(response, status, code);
      return true;
    };
    const error = await failureOf({ accessKey: "a", secretKey: "hunter2", sessionToken: "hunter3" }, s3.endpoint);
    await s3.close();
    expect(error).toMatchObject({ code: "TIER_INIT_FAILED", message: expect.stringMatching(hint) as unknown });
    expect(`${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(/hunter/);
    expect(calls).toHaveLength(1);
  });

  it("fails when nobody listens, and when the server speaks no TLS", async () => {
    const s3 = await ScriptedS3.start();
    expect((await failureOf({ scheme: "https" }, s3.endpoint)).message).toMatch(/set scheme to http/);
    const { endpoint } = s3;
    await s3.close();
    expect((await failureOf({}, endpoint)).message).toMatch(/ECONNREFUSED.*Nothing listens there/);
  });

  it("fails when the server has an object of any name", async () => {
    const s3 = await ScriptedS3.start();
    s3.script = (_call, response) => {
      response.end("ok");
      return true;
    };
    expect((await failureOf({}, s3.endpoint)).message).toMatch(/NotAnObjectStore|none can be/);
    await s3.close();
  });

  it("fails when the file of certificates cannot be read", async () => {
    const error = await failureOf({ scheme: "https", caBundle: "/nowhere/ca.pem" }, "127.0.0.1:1");
    expect(error).toMatchObject({ code: "CONFIG_INVALID", problems: [{ path: "store_config.ca_bundle" }] });
  });
});
