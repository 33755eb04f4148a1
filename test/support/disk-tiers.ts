/** Options that bound a tier: by default to 16 blocks and what belongs to them, or (`null`) by nothing. */
type OptionsOf = (blockBytes: number, maxBytes?: number | null) => object;

/** The tiers on local disks, with the options under which tests look at them. */
export const DISK_TIERS = {
  fs: () => ({}),
} satisfies Readonly<Record<string, OptionsOf>> as Readonly<Record<"fs", OptionsOf>>;

export type DiskTierType = keyof typeof DISK_TIERS;

export const DISK_TIER_TYPES = Object.keys(DISK_TIERS) as DiskTierType[];
