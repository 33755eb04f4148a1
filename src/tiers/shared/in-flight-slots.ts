/** In-flight slots: who may start a transfer, and whether those that are out will ever come back. */
export class InFlightSlots {
  readonly #all: number;
  readonly #forStores: number;
  #loads = 0;
  #stores = 0;
  #overdueLoads = 0;
  #overdueStores = 0;

  /** @param concurrency slots in all; stores may hold all but the last, or share the only one */
  constructor(concurrency: number) {
    this.#all = concurrency;
    this.#forStores = Math.max(1, concurrency - 1);
  }

  get taken(): number {
    return this.#loads + this.#stores;
  }

  /** Slots held by transfers whose job was given up. */
  get overdue(): number {
    return this.#overdueLoads + this.#overdueStores;
  }

  isFree(isLoad: boolean): boolean {
    return this.taken < this.#all && (isLoad || this.#stores < this.#forStores);
  }

  /** Whether every slot that such a transfer could get is held by an overdue one. */
  isStalled(isLoad: boolean): boolean {
    return this.overdue >= this.#all || (!isLoad && this.#overdueStores >= this.#forStores);
  }

  take(isLoad: boolean): void {
    if (isLoad) this.#loads++;
    else this.#stores++;
  }

  /** `count` of the slots taken are now held by a job that was given up. */
  markOverdue(isLoad: boolean, count: number): void {
    if (isLoad) this.#overdueLoads += count;
    else this.#overdueStores += count;
  }

  release(isLoad: boolean, wasOverdue: boolean): void {
    if (isLoad) this.#loads--;
    else this.#stores--;
    if (wasOverdue) this.markOverdue(isLoad, -1);
  }
}
