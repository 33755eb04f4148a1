/**
 * Options that bound a tier to `maxBytes`, or by nothing (`null`). Left out: to about sixteen blocks, so that a test that
 * stores more has some of them evicted.
 */
type OptionsOf = (blockBytes: number, maxBytes?: number | null) => Readonly<Record<string, unknown>>;

const BLOCKS = 16;
/** More than a block takes on the disk besides its bytes. */
const OVERHEAD_BYTES = 4096;

const bound = (blockBytes: number, maxBytes?: number | null): { max_bytes?: number } =>
  maxBytes === null ? {} : { max_bytes: maxBytes ?? BLOCKS * (blockBytes + OVERHEAD_BYTES) };

/** The tiers on local disks, with the options under which tests look at them. */
export const DISK_TIERS = {
  fs: bound,
  // Small segments, so that there are some.
  log: (blockBytes, maxBytes) => ({ ...bound(blockBytes, maxBytes), segment_bytes: 4 * (blockBytes + OVERHEAD_BYTES) }),
} as const satisfies Readonly<Record<string, OptionsOf>>;

export type DiskTierType = keyof typeof DISK_TIERS;

export const DISK_TIER_TYPES = Object.keys(DISK_TIERS) as DiskTierType[];
