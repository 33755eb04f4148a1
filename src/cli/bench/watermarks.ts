import type { StoreSample } from "./store-probe.js";
import { percentilesOf } from "./percentiles.js";

/** Options of `EMABackpressureDetector`, in s/MiB, and what they rest on. */
export interface Watermarks {
  readonly high_water_s: number;
  readonly low_water_s: number;
  readonly reason: string;
}

const MIB = 2 ** 20;
/** How far above what was seen of a healthy tier a mark is set: latency varies, and a mark at its edge would flap. */
const HEADROOM = 2;

/**
 * Marks between which this tier is as it was measured. Below the low one it must come by itself once it has nothing else
 * to do, or pressure would never end; at the high one more is asked of it than it did at full load.
 *
 * @param alone stores that had the tier for themselves, at least one
 * @param loaded stores beside `inFlight - 1` others, at least one
 */
export function recommendWatermarks(
  alone: readonly StoreSample[],
  loaded: readonly StoreSample[],
  inFlight: number,
): Watermarks {
  const restS = percentilesOf(alone.map(perMiB)).p95;
  const busyS = percentilesOf(loaded.map(perMiB)).p95;
  const low = rounded(HEADROOM * restS);
  // A tier that takes several stores as fast as one still needs the marks apart: that is what keeps it from flapping.
  const high = rounded(HEADROOM * Math.max(busyS, low));
  return {
    high_water_s: high,
    low_water_s: low,
    reason:
      `95 % of the stores took up to ${rounded(restS)} s/MiB alone (the low mark is twice that) and up to ` +
      `${rounded(busyS)} s/MiB with ${inFlight} in flight (the high mark is twice that, and twice the low one at least)`,
  };
}

const perMiB = ({ elapsedS, bytes }: StoreSample): number => elapsedS / (bytes / MIB);

/** To two digits, and never to 0, which no mark may be. */
function rounded(secondsPerMiB: number): number {
  return Math.max(1e-9, Number(secondsPerMiB.toPrecision(2)));
}
