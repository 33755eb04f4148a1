/** By how much a tier may overrun its deadline before it is not waited for any more, in seconds. */
export const TIER_GRACE_S = 1;
