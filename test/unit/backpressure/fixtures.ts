import type { Clock } from "../../../src/contracts/clock.js";
import type { StoreDetector, StorePolicy } from "../../../src/contracts/backpressure.js";
import { EMABackpressureConfig } from "../../../src/backpressure/ema-backpressure-config.js";
import { EMABackpressureDetector } from "../../../src/backpressure/ema-backpressure-detector.js";
import { DropStorePolicy } from "../../../src/backpressure/drop-store-policy.js";

export const MIB = 2 ** 20;

/** A clock that stands still until it is set. */
export class SetClock implements Clock {
  time = 100;
  now(): number {
    return this.time;
  }
  after(): () => void {
    throw new Error("backpressure needs no timers");
  }
}

/** A detector that says what it is told to, and has the public interface only. */
export function detectorSaying(says: { pressured: boolean; overshoot: number }): StoreDetector {
  return {
    policy: new DropStorePolicy({}),
    isUnderPressure: () => says.pressured,
    isHealthy: () => !says.pressured,
    overshoot: () => says.overshoot,
    shouldStore: () => true,
    update: () => {},
    onStoreCompleted: () => {},
    onStoreFailed: () => {},
    reset: () => {},
    stats: {},
  };
}

type Options = { -readonly [K in keyof EMABackpressureConfig]?: EMABackpressureConfig[K] };

/** High mark 0.01 s/MiB, low mark 0.004 s/MiB, no warm-up, and the last sample is the average, unless told otherwise. */
export function emaDetector(
  clock: Clock,
  options: Options = {},
  policy: StorePolicy = new DropStorePolicy({}),
): EMABackpressureDetector {
  const config = Object.assign(new EMABackpressureConfig(), {
    highWaterS: 0.01,
    lowWaterS: 0.004,
    warmupCompletions: 0,
    alpha: 1,
    ...options,
  });
  return new EMABackpressureDetector(config, policy, clock);
}
