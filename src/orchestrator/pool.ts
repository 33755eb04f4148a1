import type { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import { at } from "../primary/at.js";
import { cannotRelease } from "../primary/pool-errors.js";
import type { PreparedStore, PrimaryTier } from "../primary/primary-tier.js";

/** A block that was in use when the pool was reset. */
interface Detached {
  readonly slot: number;
  /** Pins that are still out; -1: it was being written. */
  pins: number;
}

/**
 * The primary tier, and what a reset left of it. A block that is in use at a reset is forgotten at once, but its slot
 * stays out of use until its last user is done. Until then its key is nowhere and cannot be stored anew, so that a
 * release by key always means that slot.
 */
export class Pool {
  readonly tier: PrimaryTier;
  readonly #detached = new Map<OffloadKey, Detached>();
  /** By slot, who was given it to write last. Doubles, because a server outlives 2^31 requests. */
  readonly #writers: Float64Array;
  /** By slot, the pins that callers took; the others belong to cascades and holds, and no caller can release those. */
  readonly #callerPins: Int32Array;

  constructor(tier: PrimaryTier) {
    this.tier = tier;
    this.#writers = new Float64Array(tier.capacity);
    this.#callerPins = new Int32Array(tier.capacity);
  }

  lookup(key: OffloadKey): LookupResult {
    return this.tier.lookup(key);
  }

  /** Whether a slot for `key` cannot be had for now, whatever room there is. */
  isBlocked(key: OffloadKey): boolean {
    return this.#detached.size > 0 && this.#detached.has(key);
  }

  /** Who is writing the block: the `writer` given to {@link prepareStore}; `undefined` when nobody is. */
  writerOf(key: OffloadKey): number | undefined {
    const slot = this.tier.refCount(key) === -1 ? this.tier.slotOf(key) : this.#detachedWriteOf(key)?.slot;
    return slot === undefined ? undefined : this.#writers[slot];
  }

  /** Pins blocks for a caller, who must know nothing of other pins; see {@link PrimaryTier.prepareLoad}. */
  prepareLoad(keys: readonly OffloadKey[]): Int32Array {
    const slots = this.pin(keys);
    for (const slot of slots) this.#callerPins[slot] = at(this.#callerPins, slot) + 1;
    return slots;
  }

  /** @throws KvTierError `INVALID_STATE`, with nothing changed, when a block has fewer pins of callers than `keys` asks. */
  completeLoad(keys: readonly OffloadKey[]): void {
    let taken = 0;
    for (const key of keys) {
      const slot = this.#slotInUse(key);
      const pins = slot === undefined ? 0 : at(this.#callerPins, slot);
      if (slot === undefined || pins === 0) {
        for (const done of keys.slice(0, taken)) this.#returnPin(done);
        throw cannotRelease(key);
      }
      this.#callerPins[slot] = pins - 1;
      taken++;
    }
    this.tier.completeLoad(this.#stillAttached(keys));
  }

  /** Pins readable blocks for a cascade or a hold. */
  pin(keys: readonly OffloadKey[]): Int32Array {
    return this.tier.prepareLoad(keys);
  }

  /** Takes back a {@link pin} of each block, which was no use of it: the order of eviction stays. */
  unpin(keys: readonly OffloadKey[]): void {
    this.tier.releasePins(this.#stillAttached(keys));
  }

  /** @param writer a request's ordinal, or 0 for a promotion: only it may complete the store */
  prepareStore(keys: readonly OffloadKey[], writer: number): PreparedStore | null {
    const wanted = this.#detached.size === 0 ? keys : keys.filter((key) => !this.#detached.has(key));
    const plan = this.tier.prepareStore(wanted);
    if (plan !== null) for (const slot of plan.blockIds) this.#writers[slot] = writer;
    return plan;
  }

  completeStore(keys: readonly OffloadKey[], success: boolean): void {
    if (this.#detached.size === 0) this.tier.completeStore(keys, success);
    else
      this.tier.completeStore(
        keys.filter((key) => !this.#releaseWrite(key)),
        success,
      );
  }

  /** Forgets blocks that are being written, and holds their slots back; see {@link PrimaryTier.abandonStore}. */
  abandonStore(keys: readonly OffloadKey[]): Int32Array {
    const slots = [...this.tier.abandonStore(keys)];
    for (const key of keys) {
      const detached = this.#detachedWriteOf(key);
      if (detached === undefined) continue;
      this.#detached.delete(key);
      slots.push(detached.slot);
    }
    return Int32Array.from(slots);
  }

  reclaimSlots(slots: Int32Array): void {
    this.tier.reclaimSlots(slots);
  }

  /** Forgets every block. Those in use stay out of reach until they are released. */
  reset(): void {
    for (const { key, slot, pins } of this.tier.reset()) this.#detached.set(key, { slot, pins });
  }

  takeEvents(): OffloadingEvent[] {
    return this.tier.takeEvents();
  }

  /** Blocks that are pinned, being written, or still in reach of I/O. */
  get busyBlocks(): number {
    return this.tier.pinnedBlocks + this.tier.writingBlocks + this.tier.quarantinedBlocks;
  }

  #slotInUse(key: OffloadKey): number | undefined {
    return this.tier.slotOf(key) ?? this.#detached.get(key)?.slot;
  }

  #returnPin(key: OffloadKey): void {
    const slot = this.#slotInUse(key);
    if (slot !== undefined) this.#callerPins[slot] = at(this.#callerPins, slot) + 1;
  }

  /** Takes a pin off those of `keys` that a reset detached; returns the others, whose pins the primary tier knows. */
  #stillAttached(keys: readonly OffloadKey[]): readonly OffloadKey[] {
    return this.#detached.size === 0 ? keys : keys.filter((key) => !this.#releasePin(key));
  }

  #releasePin(key: OffloadKey): boolean {
    const detached = this.#detached.get(key);
    if (detached === undefined || detached.pins < 1) return false;
    detached.pins--;
    if (detached.pins === 0) this.#reclaim(key, detached);
    return true;
  }

  #releaseWrite(key: OffloadKey): boolean {
    const detached = this.#detachedWriteOf(key);
    if (detached === undefined) return false;
    this.#reclaim(key, detached);
    return true;
  }

  #detachedWriteOf(key: OffloadKey): Detached | undefined {
    const detached = this.#detached.get(key);
    return detached?.pins === -1 ? detached : undefined;
  }

  #reclaim(key: OffloadKey, { slot }: Detached): void {
    this.#detached.delete(key);
    this.tier.reclaimSlots(Int32Array.of(slot));
  }
}
