/** A set, in order of insertion, that nearly always has one element: then it is no more than a reference to it. */
export class FewSet<T extends object> {
  #only: T | null = null;
  /** All elements, when there have been two or more. */
  #all: Set<T> | null = null;

  get size(): number {
    if (this.#all !== null) return this.#all.size;
    return this.#only === null ? 0 : 1;
  }

  /** The oldest element. */
  get first(): T | undefined {
    if (this.#all === null) return this.#only ?? undefined;
    for (const value of this.#all) return value;
    return undefined;
  }

  has(value: T): boolean {
    return this.#all === null ? this.#only === value : this.#all.has(value);
  }

  /** `false` when `value` was in here before. */
  add(value: T): boolean {
    if (this.has(value)) return false;
    if (this.#all !== null) this.#all.add(value);
    else if (this.#only === null) this.#only = value;
    else this.#all = new Set([this.#only, value]);
    return true;
  }

  /** `false` when `value` was not in here. */
  delete(value: T): boolean {
    if (!this.has(value)) return false;
    if (this.#all === null) this.#only = null;
    else this.#all.delete(value);
    return true;
  }

  /** Calls `visit` with each element. */
  forEach(visit: (value: T) => void): void {
    if (this.#all !== null) this.#all.forEach((value) => visit(value));
    else if (this.#only !== null) visit(this.#only);
  }

  toArray(): T[] {
    const values: T[] = [];
    this.forEach((value) => values.push(value));
    return values;
  }
}
