import { at } from "./at.js";

/** Below 0 a slot's block cannot be read; 0 is idle; above 0 is the number of pins. */
export const SlotState = {
  Idle: 0,
  /** Allocated to a key, its bytes on their way. */
  Writing: -1,
  /** Belongs to no key, but late I/O may still touch its bytes. */
  Quarantined: -2,
  Free: -3,
  /** Idle, but not to be evicted by the call that runs now. */
  Protected: -4,
} as const;

/**
 * What each slot of the pool is used for: exactly one state per slot, and a counter per kind of state. Fresh slots are
 * handed out in order, then freed ones, the last freed first. Transitions are the caller's to check.
 */
export class SlotStates {
  readonly capacity: number;
  readonly #states: Int32Array;
  /** Freed slots, a stack. */
  readonly #freed: Int32Array;
  #freedCount = 0;
  /** Slots from here on were never handed out, except those that a reset left in quarantine. */
  #fresh = 0;
  #free: number;
  #idle = 0;
  #writing = 0;
  #quarantined = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#states = new Int32Array(capacity).fill(SlotState.Free);
    this.#freed = new Int32Array(capacity);
    this.#free = capacity;
  }

  get free(): number {
    return this.#free;
  }
  get idle(): number {
    return this.#idle;
  }
  get writing(): number {
    return this.#writing;
  }
  get quarantined(): number {
    return this.#quarantined;
  }
  get pinned(): number {
    return this.capacity - this.#free - this.#idle - this.#writing - this.#quarantined;
  }

  of(slot: number): number {
    return at(this.#states, slot);
  }

  /** A free slot, now being written. There must be one. */
  take(): number {
    const slot = this.#nextFree();
    this.#states[slot] = SlotState.Writing;
    this.#free -= 1;
    this.#writing += 1;
    return slot;
  }

  /** Being written → idle. */
  makeReady(slot: number): void {
    this.#states[slot] = SlotState.Idle;
    this.#writing -= 1;
    this.#idle += 1;
  }

  pin(slot: number): void {
    const pins = this.of(slot);
    if (pins === 0) this.#idle -= 1;
    this.#states[slot] = pins + 1;
  }

  unpin(slot: number): void {
    const pins = this.of(slot);
    if (pins === 1) this.#idle += 1;
    this.#states[slot] = pins - 1;
  }

  /** Spares an idle slot until {@link unprotect}; it still counts as idle. */
  protect(slot: number): void {
    this.#states[slot] = SlotState.Protected;
  }

  unprotect(slot: number): void {
    this.#states[slot] = SlotState.Idle;
  }

  /** Being written, or pinned, → quarantined. */
  quarantine(slot: number): void {
    if (this.of(slot) === SlotState.Writing) this.#writing -= 1;
    this.#states[slot] = SlotState.Quarantined;
    this.#quarantined += 1;
  }

  /** Idle, being written or quarantined → free. */
  release(slot: number): void {
    const state = this.of(slot);
    if (state === SlotState.Idle) this.#idle -= 1;
    else if (state === SlotState.Writing) this.#writing -= 1;
    else this.#quarantined -= 1;
    this.#states[slot] = SlotState.Free;
    this.#free += 1;
    if (slot < this.#fresh) this.#freed[this.#freedCount++] = slot;
  }

  /** Slots that are being written or pinned. */
  slotsInUse(): number[] {
    const inUse: number[] = [];
    for (let slot = 0; slot < this.#fresh; slot++) if (this.#isInUse(slot)) inUse.push(slot);
    return inUse;
  }

  /** Frees every slot that nothing uses, and quarantines those being written or pinned. */
  reset(): void {
    for (let slot = 0; slot < this.#fresh; slot++) {
      if (this.#isInUse(slot)) this.quarantine(slot);
      else if (this.of(slot) === SlotState.Idle) this.#states[slot] = SlotState.Free;
    }
    this.#free += this.#idle;
    this.#idle = 0;
    this.#fresh = 0;
    this.#freedCount = 0;
  }

  #isInUse(slot: number): boolean {
    const state = this.of(slot);
    return state === SlotState.Writing || state > 0;
  }

  #nextFree(): number {
    while (this.#fresh < this.capacity) {
      const slot = this.#fresh++;
      if (this.of(slot) === SlotState.Free) return slot;
    }
    this.#freedCount -= 1;
    return at(this.#freed, this.#freedCount);
  }
}
