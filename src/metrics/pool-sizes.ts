import { BucketHistogram } from "./bucket-histogram.js";

/** Blocks; upstream's buckets: powers of four. */
const ALLOCATION_BOUNDS = Array.from({ length: 10 }, (_, i) => 4 ** i);
/** Bytes; upstream's buckets. */
const TRANSFER_BOUNDS = [1, 5, 10, 20, 40, 60, 80, 100, 150, 200].map((megabytes) => megabytes * 1e6);

/** How much at a time is asked of the pool. */
export class PoolSizes {
  /** Blocks that a store was given slots for. */
  readonly allocation = new BucketHistogram(ALLOCATION_BOUNDS);
  /** Bytes that a reader pinned at once. */
  readonly load = new BucketHistogram(TRANSFER_BOUNDS);
  /** Bytes that became readable at once, by the end of a store. */
  readonly store = new BucketHistogram(TRANSFER_BOUNDS);
}
