import { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { OffloadingEvent } from "../contracts/offloading-event.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { ArcPolicy } from "./arc-policy.js";
import { at } from "./at.js";
import type { BlockInUse } from "./block-in-use.js";
import { BlockIndex } from "./block-index.js";
import { EventLog } from "./event-log.js";
import type { EvictionPolicy } from "./eviction-policy.js";
import { Evictor } from "./evictor.js";
import { LruPolicy } from "./lru-policy.js";
import { cannotLoad, cannotReclaim, cannotRelease } from "./pool-errors.js";
import type { PreparedStore } from "./prepared-store.js";
import type { PrimaryTierOptions } from "./primary-tier-options.js";
import { SlotStates, SlotState } from "./slot-states.js";

export type { PreparedStore };

/**
 * The bookkeeping of the primary pool: which block is in which slot, and whether it can be read, evicted or neither.
 * Knows no memory and calls nobody. All methods are synchronous; one that throws has changed nothing.
 */
export class PrimaryTier {
  readonly #states: SlotStates;
  readonly #index: BlockIndex;
  readonly #policy: EvictionPolicy;
  readonly #evictor: Evictor;
  readonly #events: EventLog;

  /** @throws KvTierError `INVALID_STATE` when the number of blocks is not a positive integer. */
  constructor({ numBlocks, evictionPolicy, recordEvents }: PrimaryTierOptions) {
    if (!Number.isSafeInteger(numBlocks) || numBlocks <= 0) {
      throw new KvTierError("INVALID_STATE", `A pool needs a positive number of blocks; got ${String(numBlocks)}.`);
    }
    const isArc = evictionPolicy === "arc";
    this.#states = new SlotStates(numBlocks);
    this.#index = new BlockIndex(numBlocks, isArc ? ArcPolicy.nodesFor(numBlocks) : numBlocks);
    this.#policy = isArc ? new ArcPolicy(this.#index, this.#states) : new LruPolicy(this.#index, this.#states);
    this.#evictor = new Evictor(this.#index, this.#states, this.#policy);
    this.#events = new EventLog(recordEvents);
  }

  /** `Hit`: readable now; `HitPending`: being written; else `Miss`. */
  lookup(key: OffloadKey): LookupResult {
    const slot = this.#index.slotOf(key);
    if (slot === undefined) return LookupResult.Miss;
    return this.#states.of(slot) === SlotState.Writing ? LookupResult.HitPending : LookupResult.Hit;
  }

  slotOf(key: OffloadKey): number | undefined {
    return this.#index.slotOf(key);
  }

  /** The slot of a block that is being written. */
  writingSlotOf(key: OffloadKey): number | undefined {
    const slot = this.#index.slotOf(key);
    return slot !== undefined && this.#states.of(slot) === SlotState.Writing ? slot : undefined;
  }

  /** Whether the block in `slot` can be read and has no pin. */
  isIdle(slot: number): boolean {
    return this.#states.of(slot) === SlotState.Idle;
  }

  /** Pins on the block; -1 while it is being written, `undefined` when it is not here. */
  refCount(key: OffloadKey): number | undefined {
    const slot = this.#index.slotOf(key);
    return slot === undefined ? undefined : this.#states.of(slot);
  }

  /** A use of these blocks. The first key ends as the most recently used. Keys that are not here are skipped. */
  touch(keys: readonly OffloadKey[]): void {
    for (let i = keys.length - 1; i >= 0; i--) {
      const key = keys[i];
      const node = key === undefined ? undefined : this.#index.nodeOf(key);
      if (node !== undefined) this.#policy.touch(node);
    }
  }

  /**
   * Pins each block once, so that it is neither evicted nor overwritten until {@link completeLoad}.
   *
   * @returns the slots, in the order of the keys
   * @throws KvTierError `INVALID_STATE` when a block is absent or still being written.
   */
  prepareLoad(keys: readonly OffloadKey[]): Int32Array {
    const slots = new Int32Array(keys.length);
    let i = 0;
    for (const key of keys) {
      const slot = this.#index.slotOf(key);
      if (slot === undefined || this.#states.of(slot) < 0) throw cannotLoad(key, slot !== undefined);
      slots[i++] = slot;
    }
    for (i = 0; i < slots.length; i++) this.#states.pin(at(slots, i));
    return slots;
  }

  /**
   * Takes one pin off each block, whose reader is done with it. A block whose last pin goes can be evicted, as the most
   * recently used.
   *
   * @throws KvTierError `INVALID_STATE` when a block has no pin, or fewer than `keys` names it.
   */
  completeLoad(keys: readonly OffloadKey[]): void {
    const slots = new Int32Array(keys.length);
    let released = 0;
    for (const key of keys) {
      const slot = this.#index.slotOf(key);
      if (slot === undefined || this.#states.of(slot) <= 0) {
        while (released > 0) this.#states.pin(at(slots, --released));
        throw cannotRelease(key);
      }
      this.#states.unpin(slot);
      slots[released++] = slot;
    }
    for (let i = 0; i < slots.length; i++) {
      const slot = at(slots, i);
      if (this.#states.of(slot) === SlotState.Idle) this.#policy.wasRead(slot);
    }
  }

  /**
   * As {@link prepareLoad} for one block that is found by its slot.
   *
   * @throws KvTierError `INVALID_STATE` when it cannot be read.
   */
  pin(slot: number): void {
    if (this.#states.of(slot) < 0) throw cannotLoad(this.#index.keyAt(slot), true);
    this.#states.pin(slot);
  }

  /**
   * Takes a pin off the block in `slot`. Unlike the end of a load that was no use of the block, but such as a copy into a
   * tier: the order of eviction stays as it is.
   *
   * @throws KvTierError `INVALID_STATE` when it has none.
   */
  unpin(slot: number): void {
    if (this.#states.of(slot) <= 0) throw cannotRelease(this.#index.keyAt(slot));
    this.#states.unpin(slot);
  }

  /**
   * Gives a slot to every key that is not here yet, neither readable nor on its way, and evicts idle blocks to make room,
   * but none that `keys` names. The new blocks are being written until {@link completeStore}.
   *
   * @returns empty `keysToStore` when there is nothing to do; `null`, with nothing changed, when there is no room
   */
  prepareStore(keys: readonly OffloadKey[]): PreparedStore | null {
    const evictedKeys = keys.length <= this.#states.free ? [] : this.#evictor.makeRoomFor(keys);
    if (evictedKeys === null) return null;
    const keysToStore: OffloadKey[] = [];
    const slots = new Int32Array(keys.length);
    for (const key of keys) {
      // A key named twice has its slot by the second time.
      if (this.#index.slotOf(key) !== undefined) continue;
      slots[keysToStore.length] = this.#take(key);
      keysToStore.push(key);
    }
    // Told of last: whoever listens may store something himself, and must not be given the slots that were just freed.
    this.#events.removed(evictedKeys);
    const blockIds = keysToStore.length === keys.length ? slots : slots.slice(0, keysToStore.length);
    return { keysToStore, blockIds, evictedKeys };
  }

  /**
   * As {@link prepareStore} for one key.
   *
   * @returns its slot; `undefined`, with nothing changed, when it is here already or there is no room
   */
  allocate(key: OffloadKey): number | undefined {
    if (this.#index.slotOf(key) !== undefined) return undefined;
    const evicted = this.#states.free === 0 ? this.#evictor.evictOldest() : null;
    if (evicted === undefined) return undefined;
    const slot = this.#take(key);
    if (evicted !== null) this.#events.removed([evicted]);
    return slot;
  }

  /**
   * Ends the writing of these blocks: with `success` they can be read and evicted, else they are gone and their slots
   * are free. Keys that are not being written are skipped.
   */
  completeStore(keys: readonly OffloadKey[], success: boolean): void {
    const stored: OffloadKey[] = [];
    for (const key of keys) {
      const slot = this.writingSlotOf(key);
      if (slot === undefined) continue;
      if (success) {
        this.#states.makeReady(slot);
        this.#policy.becameReady(slot);
        if (this.#events.isEnabled) stored.push(key);
      } else {
        this.#policy.remove(slot);
        this.#states.release(slot);
      }
    }
    this.#events.stored(stored);
  }

  /**
   * As a failed {@link completeStore} whose I/O may still touch the slots: the blocks are gone at once, but the slots
   * stay out of use until {@link reclaimSlots}.
   *
   * @returns the slots held back; keys that are not being written have none
   */
  abandonStore(keys: readonly OffloadKey[]): Int32Array {
    const slots: number[] = [];
    for (const key of keys) {
      const slot = this.writingSlotOf(key);
      if (slot === undefined) continue;
      this.#policy.remove(slot);
      this.#states.quarantine(slot);
      slots.push(slot);
    }
    return new Int32Array(slots);
  }

  /**
   * Frees slots that {@link abandonStore} or {@link reset} held back, now that nothing touches them any more.
   *
   * @throws KvTierError `INVALID_STATE` when a slot is not held back, or is named twice.
   */
  reclaimSlots(slots: Int32Array): void {
    if (new Set(slots).size < slots.length) throw cannotReclaim(slots);
    for (const slot of slots) {
      if (slot < 0 || slot >= this.#states.capacity || this.#states.of(slot) !== SlotState.Quarantined) {
        throw cannotReclaim(slots);
      }
    }
    for (const slot of slots) this.#states.release(slot);
  }

  /**
   * Forgets every block, and the order of eviction. Records no event. Slots that were pinned or being written are held
   * back, for whoever uses them now holds them by slot: the caller waits for the last user of each.
   *
   * @returns what is held back, for {@link reclaimSlots}; empty when nothing was in flight
   */
  reset(): BlockInUse[] {
    const inUse = this.#states.slotsInUse().map((slot) => ({
      key: this.#index.keyAt(slot),
      slot,
      pins: this.#states.of(slot),
    }));
    this.#policy.reset();
    this.#index.clear();
    this.#states.reset();
    return inUse;
  }

  get recordsEvents(): boolean {
    return this.#events.isEnabled;
  }
  /** What was stored and removed since the last call, when events are recorded. */
  takeEvents(): OffloadingEvent[] {
    return this.#events.take();
  }

  /** Slots of the pool. */
  get capacity(): number {
    return this.#states.capacity;
  }
  /** Blocks that have a key: idle, pinned or being written. */
  get residentBlocks(): number {
    return this.#states.idle + this.#states.pinned + this.#states.writing;
  }
  /** Blocks that could be evicted. */
  get idleBlocks(): number {
    return this.#states.idle;
  }
  get pinnedBlocks(): number {
    return this.#states.pinned;
  }
  get writingBlocks(): number {
    return this.#states.writing;
  }
  get freeBlocks(): number {
    return this.#states.free;
  }
  /** Slots that late I/O may still touch; they belong to no key. */
  get quarantinedBlocks(): number {
    return this.#states.quarantined;
  }
  /** Blocks that a store could get: free or idle. */
  get availableBlocks(): number {
    return this.#states.free + this.#states.idle;
  }
  /** Blocks evicted so far; never goes back. */
  get evictions(): number {
    return this.#evictor.evictions;
  }

  #take(key: OffloadKey): number {
    const slot = this.#states.take();
    this.#policy.insert(key, slot);
    return slot;
  }
}
