/** By the writer ids of their holders. A process has few folders, and an end that fails is rare. */
const lost = new Set<string>();

/**
 * Leases to evict that tiers of this process did not give back at their end, because the disk hung or failed. Their process
 * lives on, so others would wait until they are stale: the next tier of this process need not.
 */
export const lostLeases = {
  add(writerId: string): void {
    lost.add(writerId);
  },

  /** It was given back after all. */
  delete(writerId: string): void {
    lost.delete(writerId);
  },

  get all(): readonly string[] {
    return [...lost];
  },
};
