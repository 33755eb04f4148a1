import { Inject, Injectable } from "@nestjs/common";
import type { TierStats } from "../metrics/tiering-stats.js";
import { AppCaches } from "./app-caches.js";

/** How one tier fares. `down`: its server or disk does not answer; `pressure`: it stores less than it is given. */
export type TierHealth =
  { readonly status: "up" } | { readonly status: "degraded"; readonly reason: "down" | "pressure" };

/** How a cache fares. */
export interface KvTierHealth {
  /** `down` only while the application closes. */
  readonly status: "up" | "down";
  /** Labels of the tiers that are not `up`. */
  readonly degraded: readonly string[];
  /** By label, such as `1:fs`. */
  readonly tiers: Readonly<Record<string, TierHealth>>;
}

/**
 * A cache for a health check of `@nestjs/terminus`, which need not be installed for it. A tier that is down or under
 * pressure is `degraded` in the details and nothing more: it costs hits, and must not take the service out.
 */
@Injectable()
export class KvTierHealthIndicator {
  readonly #caches: AppCaches;

  constructor(@Inject(AppCaches) caches: AppCaches) {
    this.#caches = caches;
  }

  /**
   * @param key under which the result stands
   * @param name of the cache; absent: the default one
   * @throws KvTierError `INVALID_STATE` when there is no cache of that name.
   */
  check<const Key extends string>(key: Key, name?: string): Record<Key, KvTierHealth> {
    const { cache, isClosing } = this.#caches.get(name);
    const tiers = cache.stats().tiers.map((tier) => [tier.label, healthOf(tier)] as const);
    const health: KvTierHealth = {
      status: isClosing ? "down" : "up",
      degraded: tiers.filter(([, { status }]) => status !== "up").map(([label]) => label),
      tiers: Object.fromEntries(tiers),
    };
    return { [key]: health } as Record<Key, KvTierHealth>;
  }
}

function healthOf({ figures, pressure }: TierStats): TierHealth {
  if ((figures.breakerOpen ?? 0) > 0 || (figures.stalled ?? 0) > 0) return { status: "degraded", reason: "down" };
  if (pressure?.active === true) return { status: "degraded", reason: "pressure" };
  return { status: "up" };
}
