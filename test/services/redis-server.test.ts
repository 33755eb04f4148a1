import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../src/contracts/lookup-result.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { describeSecondaryTier } from "../../src/testing/index.js";
import type { RedisTierConfig } from "../../src/tiers/redis/redis-tier-config.js";
import { describeRedis } from "../support/redis/describe-redis.js";
import { makeRedisTier } from "../support/redis/make-redis-tier.js";
import { freePort, RedisProcess } from "../support/redis/redis-process.js";
import { withTempFolder } from "../support/temp-folder.js";

/** What `docs/redis.md` says that an ACL user needs. */
const NEEDED = ["+exists", "+get", "+getex", "+set", "+unlink", "+scan", "+cluster|slots", "~kvtier:*"];

const use = (config: Partial<RedisTierConfig>, body: (rig: TierRig) => Promise<void>): Promise<void> =>
  TierRig.use((env) => makeRedisTier({ config, context: env }), body);

async function expectRoundTrip(rig: TierRig): Promise<void> {
  expect(await rig.store([1, 2])).toMatchObject({ success: true });
  expect(await rig.verdict(1, "a")).toBe(LookupResult.Hit);
  expect(await rig.load([1, 2], [9, 10])).toMatchObject({ success: true });
  expect([rig.faultOf(1, 9), rig.faultOf(2, 10)]).toEqual([null, null]);
}

describeRedis("on a Redis server", () => {
  const running: RedisProcess[] = [];
  const start = async (...args: string[]): Promise<RedisProcess> => {
    const server = await RedisProcess.start(...args);
    running.push(server);
    return server;
  };
  afterEach(async () => void (await Promise.all(running.splice(0).map((server) => server.stop()))));

  describeSecondaryTier(
    "redis, on a server",
    async (env) => makeRedisTier({ config: { url: (await start()).url, ttlS: 60 }, context: env }),
    { describe, it, expect },
  );

  it("works with a user who may do no more than the docs say, and says what is missing otherwise", async () => {
    const server = await start();
    await server.cli("ACL", "SETUSER", "kv", "on", ">s3cret-word", "resetkeys", ...NEEDED);
    const config = { url: `${server.url}/0`, username: "kv", password: "s3cret-word", ttlS: 60 };
    await use(config, async (rig) => {
      await expectRoundTrip(rig);
      await rig.tier.clear?.();
      expect(await server.cli("DBSIZE")).toBe("0");
    });
    await server.cli("ACL", "SETUSER", "kv", "-set");
    await expect(use(config, expectRoundTrip)).rejects.toThrow(/NOPERM.*docs\/redis\.md/);
  });

  it("sets the time to live, and a load renews it", async () => {
    const server = await start();
    await use({ url: server.url, ttlS: 1000 }, async (rig) => {
      await rig.store([1]);
      const key = await server.cli("RANDOMKEY");
      expect(Number(await server.cli("TTL", key))).toBeGreaterThan(900);
      await server.cli("EXPIRE", key, "100");
      await rig.load([1], [9]);
      expect(Number(await server.cli("TTL", key))).toBeGreaterThan(900);
    });
  });

  it("misses a block with a flipped bit, and removes it from the server", async () => {
    const server = await start();
    await use({ url: server.url }, async (rig) => {
      await rig.store([1]);
      const key = await server.cli("RANDOMKEY");
      await server.cli("SETRANGE", key, "500", "?");
      expect(await rig.load([1], [9])).toMatchObject({ success: false });
      expect(rig.tier.getStats()).toMatchObject({ checksumFailures: 1, breakerOpen: 0 });
      expect(await rig.verdict(1, "a")).toBe(LookupResult.Miss);
      expect(await server.cli("EXISTS", key)).toBe("0");
    });
  });

  it("speaks TLS, and says what is wrong when only one side does", () =>
    withTempFolder(async (folder) => {
      const [caFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
      const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
      const out = ["-nodes", "-days", "2", "-keyout", keyFile, "-out", caFile];
      execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...subject, ...out], { stdio: "ignore" });
      const port = await freePort();
      const files = ["--tls-cert-file", caFile, "--tls-key-file", keyFile, "--tls-ca-cert-file", caFile];
      const server = await start("--tls-port", String(port), "--tls-auth-clients", "no", ...files);
      const tls = Object.assign({ verify: true }, { caFile });
      await use({ url: `rediss://127.0.0.1:${port}`, tls }, expectRoundTrip);
      const fails = (config: Partial<RedisTierConfig>): Promise<unknown> =>
        use(config, async () => {}).then(
          () => "nothing failed",
          (error: unknown) => String(error),
        );
      expect(await fails({ url: `redis://127.0.0.1:${port}` })).toContain("if the port is for TLS, set tls");
      expect(await fails({ url: `rediss://127.0.0.1:${server.port}` })).toMatch(
        /does not speak TLS|agree on TLS|hung up/,
      );
      expect(await fails({ url: `rediss://127.0.0.1:${port}` })).toContain("set tls.ca_file");

      await server.cli("CONFIG", "SET", "tls-auth-clients", "yes");
      const url = `rediss://127.0.0.1:${port}`;
      expect(await fails({ url, tls })).toContain("set tls.cert_file and tls.key_file");
      await use({ url, tls: { ...tls, certFile: caFile, keyFile } }, expectRoundTrip);
    }));
});
