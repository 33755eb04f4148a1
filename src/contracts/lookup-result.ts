/**
 * What a look-up of one block says.
 *
 * - `Miss`: not here; recompute it.
 * - `Hit`: here and readable now. A hit is not a pin: take one with `prepareLoad` in the same tick.
 * - `HitPending`: here or on its way, but not readable yet; ask again after the next step.
 * - `Retry`: not known yet; ask again after the next step.
 */
export const LookupResult = { Miss: "miss", Hit: "hit", HitPending: "hit_pending", Retry: "retry" } as const;
export type LookupResult = (typeof LookupResult)[keyof typeof LookupResult];
