import type { BucketHistogram } from "../metrics/bucket-histogram.js";
import type { TierStats } from "../metrics/tiering-stats.js";
import type { Labels, Sample, Snapshot } from "./metric-family.js";

/** The one sample of a metric without labels. */
export const single = (value: number): Sample[] => [{ labels: {}, value }];

/** A sample for each tier that has the figure; a tier of somebody else's may tell what is no number. */
export function perTier(
  { stats }: Snapshot,
  valueOf: (tier: TierStats) => number | undefined,
  more: Labels = {},
): Sample[] {
  return stats.tiers.flatMap((tier) => {
    const value = valueOf(tier);
    return value === undefined || !Number.isFinite(value) ? [] : [{ labels: { tier: tier.label, ...more }, value }];
  });
}

/** As {@link perTier}, with the pool as the first tier. */
export function withPool(
  snapshot: Snapshot,
  ofPool: number,
  valueOf: (tier: TierStats) => number | undefined,
): Sample[] {
  const { label } = snapshot.stats.primary;
  return [{ labels: { tier: label }, value: ofPool }, ...perTier(snapshot, valueOf)];
}

/** Every series of one histogram. */
export function histogram({ buckets, sum }: BucketHistogram, labels: Labels = {}): Sample[] {
  const count = buckets.at(-1)?.count ?? 0;
  return [
    ...buckets.map(({ bound, count: value }) => {
      const le = bound === Infinity ? "+Inf" : String(bound);
      return { labels: { le, ...labels }, value, series: "bucket" as const };
    }),
    { labels, value: sum, series: "sum" },
    { labels, value: count, series: "count" },
  ];
}
