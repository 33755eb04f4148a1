import type { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import { at } from "../primary/at.js";
import { cannotRelease } from "../primary/pool-errors.js";
import type { PreparedStore, PrimaryTier } from "../primary/primary-tier.js";
import { DetachedBlocks } from "./detached-blocks.js";

/** As writer of a slot: nobody any more. */
const NOBODY = 0;

/**
 * The primary tier, and what a reset left of it. A block that is in use at a reset is forgotten at once, but its slot
 * stays out of use until its last user is done. Until then its key is nowhere and cannot be stored anew, so that a
 * release by key always means that slot. Whoever holds a pin may keep the slot instead of the key: it stays his.
 */
export class Pool {
  readonly tier: PrimaryTier;
  readonly #detached = new DetachedBlocks();
  /**
   * By slot, who was given it to write last: the ordinal of a request, or minus the number of a batch of promotions.
   * Doubles, because a server outlives 2^31 requests.
   */
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
    return !this.#detached.isEmpty && this.#detached.has(key);
  }

  /** The slot of a block that is being written, also of one that a reset has forgotten. */
  writingSlotOf(key: OffloadKey): number | undefined {
    return this.tier.writingSlotOf(key) ?? this.#detached.writingSlotOf(key);
  }

  /** Who is writing the block in `slot`, which is being written. */
  writerOf(slot: number): number {
    return this.#writers[slot] ?? NOBODY;
  }

  setWriter(slot: number, writer: number): void {
    this.#writers[slot] = writer;
  }

  /** The writer of `slot` is about to complete the store; `false` when that was said before. */
  endWriting(slot: number): boolean {
    if (this.#writers[slot] === NOBODY) return false;
    this.#writers[slot] = NOBODY;
    return true;
  }

  /** Pins blocks for a caller, who must know nothing of other pins; see {@link PrimaryTier.prepareLoad}. */
  prepareLoad(keys: readonly OffloadKey[]): Int32Array {
    const slots = this.tier.prepareLoad(keys);
    for (let i = 0; i < slots.length; i++) this.#addCallerPin(at(slots, i));
    return slots;
  }

  /** @throws KvTierError `INVALID_STATE`, with nothing changed, when a block has fewer pins of callers than `keys` asks. */
  completeLoad(keys: readonly OffloadKey[]): void {
    let taken = 0;
    for (const key of keys) {
      const slot = this.#slotInUse(key);
      const pins = slot === undefined ? 0 : at(this.#callerPins, slot);
      if (slot === undefined || pins === 0) {
        for (const done of keys.slice(0, taken)) this.#addCallerPin(this.#slotInUse(done) ?? -1);
        throw cannotRelease(key);
      }
      this.#callerPins[slot] = pins - 1;
      taken++;
    }
    const isEmpty = this.#detached.isEmpty;
    this.tier.completeLoad(isEmpty ? keys : keys.filter((key) => !this.#unpinDetached(this.#detached.slotOf(key))));
  }

  /** Pins the readable block in `slot` for a cascade or a hold. */
  pin(slot: number): void {
    this.tier.pin(slot);
  }

  /** Takes back a {@link pin}, which was no use of the block: the order of eviction stays. */
  unpin(slot: number): void {
    if (this.#detached.isEmpty || !this.#unpinDetached(slot)) this.tier.unpin(slot);
  }

  /** @param writer a request's ordinal: only it may complete the store */
  prepareStore(keys: readonly OffloadKey[], writer: number): PreparedStore | null {
    const wanted = this.#detached.isEmpty ? keys : keys.filter((key) => !this.#detached.has(key));
    const plan = this.tier.prepareStore(wanted);
    if (plan === null) return null;
    for (let i = 0; i < plan.blockIds.length; i++) this.#writers[at(plan.blockIds, i)] = writer;
    return plan;
  }

  /** A slot for the block of `key`, whose writer is still to be set; `undefined` when there is no room, or it is here. */
  allocate(key: OffloadKey): number | undefined {
    return this.isBlocked(key) ? undefined : this.tier.allocate(key);
  }

  completeStore(keys: readonly OffloadKey[], success: boolean): void {
    const isEmpty = this.#detached.isEmpty;
    this.tier.completeStore(isEmpty ? keys : keys.filter((key) => !this.#endDetachedWrite(key)), success);
  }

  /** Forgets blocks that are being written, and holds their slots back; see {@link PrimaryTier.abandonStore}. */
  abandonStore(keys: readonly OffloadKey[]): Int32Array {
    const slots = [...this.tier.abandonStore(keys)];
    for (const key of keys) {
      const slot = this.#detached.endWrite(key);
      if (slot !== undefined) slots.push(slot);
    }
    return Int32Array.from(slots);
  }

  reclaimSlots(slots: Int32Array): void {
    this.tier.reclaimSlots(slots);
  }

  /** Forgets every block. Those in use stay out of reach until they are released. */
  reset(): void {
    for (const block of this.tier.reset()) this.#detached.add(block);
  }

  takeEvents(): OffloadingEvent[] {
    return this.tier.takeEvents();
  }

  /** Blocks that are pinned, being written, or still in reach of I/O. */
  get busyBlocks(): number {
    return this.tier.pinnedBlocks + this.tier.writingBlocks + this.tier.quarantinedBlocks;
  }

  #slotInUse(key: OffloadKey): number | undefined {
    return this.tier.slotOf(key) ?? this.#detached.slotOf(key);
  }

  #addCallerPin(slot: number): void {
    this.#callerPins[slot] = at(this.#callerPins, slot) + 1;
  }

  /** Takes a pin off the block in `slot` if a reset detached it; else the primary tier knows its pins. */
  #unpinDetached(slot: number | undefined): boolean {
    if (slot === undefined) return false;
    const pin = this.#detached.unpin(slot);
    if (pin === "last") this.tier.reclaimSlots(Int32Array.of(slot));
    return pin !== "none";
  }

  #endDetachedWrite(key: OffloadKey): boolean {
    const slot = this.#detached.endWrite(key);
    if (slot === undefined) return false;
    this.tier.reclaimSlots(Int32Array.of(slot));
    return true;
  }
}
