import { createTiering, type CreateTieringOptions, type Tiering } from "../cache/create-tiering.js";
import { silentLogger } from "../contracts/logger.js";
import { ManualClock } from "./manual-clock.js";

/** What `createTiering` returns, and the clock that it runs on. */
export interface TestTiering extends Tiering {
  readonly clock: ManualClock;
}

const BLOCK_BYTES = 4096;

/** A pool of 16 blocks of 4 KiB, with an `example` tier behind it. */
const DEFAULT_CONFIG = {
  cpu_bytes_to_use: 16 * BLOCK_BYTES,
  block_bytes: BLOCK_BYTES,
  model: { name: "test-model", dtype: "float16", tokens_per_block: 16 },
  secondary_tiers: [{ type: "example" }],
};

/**
 * A running cache for a test: time stands still until the test moves `clock`, and nothing is logged.
 *
 * @param config as for `createTiering`; absent: 16 blocks of 4 KiB and one `example` tier
 * @param options as for `createTiering`; `configure` is the place to rebind tiers
 */
export async function createTestTiering(
  config: unknown = DEFAULT_CONFIG,
  options: Omit<CreateTieringOptions, "clock"> = {},
): Promise<TestTiering> {
  const clock = new ManualClock();
  const tiering = await createTiering(config, { logger: silentLogger, ...options, clock });
  return Object.assign(tiering, { clock });
}
