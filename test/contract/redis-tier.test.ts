import { afterEach, describe, expect, it } from "@jest/globals";
import { describeSecondaryTier, type MakeTier } from "../../src/testing/index.js";
import { RespPeer } from "../support/redis/resp-peer.js";
import { makeRedisTier } from "../support/redis/make-redis-tier.js";
import type { RedisTierConfig } from "../../src/tiers/redis/redis-tier-config.js";

const runner = { describe, it, expect };
const peers: RespPeer[] = [];

afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.stop()));
});

function onPeer(config: Partial<RedisTierConfig>): MakeTier {
  return async (env) => {
    const peer = await RespPeer.start();
    peers.push(peer);
    return makeRedisTier({ config: { url: peer.url, ...config }, context: env });
  };
}

describeSecondaryTier("redis", onPeer({}), runner);

describeSecondaryTier(
  "redis, one connection, expiry, no checksums",
  onPeer({ connections: 1, ttlS: 60, checksum: false }),
  runner,
);
