import { TierRig } from "../../../src/testing/conformance/tier-rig.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";
import type { RedisTierConfig } from "../../../src/tiers/redis/redis-tier-config.js";
import { recordingLogger, type LogLine } from "../recording-logger.js";
import { makeRedisTier } from "./make-redis-tier.js";

export interface RedisRig {
  readonly rig: TierRig;
  /** The tier's, moved by hand. */
  readonly clock: ManualClock;
  readonly lines: readonly LogLine[];
}

/** Runs `body` with a tier of blocks of 1,000 bytes that is started, and shuts it down. */
export async function withRedis(
  config: Partial<RedisTierConfig>,
  body: (redis: RedisRig) => Promise<void>,
): Promise<void> {
  const clock = new ManualClock(100);
  const { logger, lines } = recordingLogger();
  await TierRig.use(
    (env) => makeRedisTier({ config, context: { ...env, clock, logger } }),
    (rig) => body({ rig, clock, lines }),
  );
}
