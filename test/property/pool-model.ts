/** The rules of the primary pool in the plainest form: arrays of keys, searched from the start. For tests only. */
export abstract class PoolModel {
  /** Pins of each resident key, in no particular order; -1 = being written. */
  readonly refs = new Map<string, number>();
  /** Slots that belong to no key, but are not free. */
  held = 0;

  constructor(readonly capacity: number) {}

  get free(): number {
    return this.capacity - this.refs.size - this.held;
  }
  keysWith(test: (refs: number) => boolean): string[] {
    return [...this.refs].filter(([, refs]) => test(refs)).map(([key]) => key);
  }

  prepareStore(keys: readonly string[]): { stored: string[]; evicted: string[] } | null {
    const stored = [...new Set(keys)].filter((key) => !this.refs.has(key));
    const evicted = this.victims(
      Math.max(0, stored.length - this.free),
      (key) => this.refs.get(key) === 0 && !keys.includes(key),
    );
    if (evicted === null) return null;
    for (const key of evicted) {
      this.refs.delete(key);
      this.evicted(key);
    }
    for (const key of stored) {
      this.refs.set(key, -1);
      this.inserted(key);
    }
    return { stored, evicted };
  }

  /** The keys that really ended; success makes them idle, failure removes them. */
  completeStore(keys: readonly string[], success: boolean): string[] {
    return [...new Set(keys)].filter((key) => {
      if (this.refs.get(key) !== -1) return false;
      if (success) this.setRefs(key, 0);
      else {
        this.refs.delete(key);
        this.removed(key);
      }
      return true;
    });
  }

  prepareLoad(keys: readonly string[]): boolean {
    if (keys.some((key) => (this.refs.get(key) ?? -1) < 0)) return false;
    for (const key of keys) this.setRefs(key, (this.refs.get(key) ?? 0) + 1);
    return true;
  }

  completeLoad(keys: readonly string[]): boolean {
    if (!this.releasePins(keys)) return false;
    for (const key of keys) if (this.refs.get(key) === 0) this.wasRead(key);
    return true;
  }

  releasePins(keys: readonly string[]): boolean {
    if (keys.some((key) => (this.refs.get(key) ?? 0) < keys.filter((other) => other === key).length)) return false;
    for (const key of keys) this.setRefs(key, (this.refs.get(key) ?? 0) - 1);
    return true;
  }

  touch(keys: readonly string[]): void {
    for (const key of [...keys].reverse()) this.touched(key);
  }

  reset(): void {
    this.refs.clear();
    this.forgotten();
  }

  protected setRefs(key: string, refs: number): void {
    this.refs.set(key, refs);
  }
  protected abstract inserted(key: string): void;
  protected abstract evicted(key: string): void;
  protected abstract removed(key: string): void;
  protected abstract touched(key: string): void;
  protected abstract wasRead(key: string): void;
  protected abstract forgotten(): void;
  /** `count` keys to evict, in order, or `null` if there are not so many. */
  protected abstract victims(count: number, mayGo: (key: string) => boolean): string[] | null;
}

const without = (list: readonly string[], key: string) => list.filter((other) => other !== key);

export class LruModel extends PoolModel {
  /** Readable keys, idle or pinned, the least recently used first. */
  order: string[] = [];

  protected override setRefs(key: string, refs: number): void {
    if (this.refs.get(key) === -1) this.order.push(key);
    super.setRefs(key, refs);
  }
  protected override wasRead(key: string): void {
    this.touched(key);
  }
  protected override inserted(): void {}
  protected override evicted(key: string): void {
    this.order = without(this.order, key);
  }
  protected override removed(): void {}
  protected override forgotten(): void {
    this.order = [];
  }
  protected override touched(key: string): void {
    if (this.order.includes(key)) this.order = [...without(this.order, key), key];
  }
  protected override victims(count: number, mayGo: (key: string) => boolean): string[] | null {
    const candidates = this.order.filter(mayGo);
    return candidates.length < count ? null : candidates.slice(0, count);
  }
}

export class ArcModel extends PoolModel {
  t1: string[] = [];
  t2: string[] = [];
  b1: string[] = [];
  b2: string[] = [];
  target = 0;

  protected override wasRead(): void {}
  protected override inserted(key: string): void {
    this.b1 = without(this.b1, key);
    this.b2 = without(this.b2, key);
    this.t1.push(key);
  }
  protected override evicted(key: string): void {
    if (this.t1.includes(key)) this.b1.push(key);
    else this.b2.push(key);
    this.removed(key);
    this.b1 = this.b1.slice(-this.capacity);
    this.b2 = this.b2.slice(-this.capacity);
  }
  protected override removed(key: string): void {
    this.t1 = without(this.t1, key);
    this.t2 = without(this.t2, key);
  }
  protected override forgotten(): void {
    [this.t1, this.t2, this.b1, this.b2] = [[], [], [], []];
    this.target = 0;
  }
  protected override touched(key: string): void {
    const last = (list: string[]) => [...without(list, key), key];
    if (this.t1.includes(key) && this.refs.get(key) === -1) {
      this.t1 = last(this.t1);
    } else if (this.t1.includes(key) || this.t2.includes(key)) {
      this.t1 = without(this.t1, key);
      this.t2 = last(this.t2);
    } else if (this.b1.includes(key)) {
      this.target = Math.min(this.capacity, this.target + Math.max(1, this.b2.length / this.b1.length));
      this.b1 = last(this.b1);
    } else if (this.b2.includes(key)) {
      this.target = Math.max(0, this.target - Math.max(1, this.b1.length / this.b2.length));
      this.b2 = last(this.b2);
    }
  }
  protected override victims(count: number, mayGo: (key: string) => boolean): string[] | null {
    const once = this.t1.filter(mayGo);
    const often = this.t2.filter(mayGo);
    const chosen: string[] = [];
    for (let size = this.t1.length; chosen.length < count;) {
      const preferOnce = size >= Math.trunc(this.target);
      const key = preferOnce ? (once.shift() ?? often.shift()) : (often.shift() ?? once.shift());
      if (key === undefined) return null;
      if (this.t1.includes(key)) size -= 1;
      chosen.push(key);
    }
    return chosen;
  }
}
