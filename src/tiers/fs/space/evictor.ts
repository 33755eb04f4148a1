import type { Clock } from "../../../contracts/clock.js";
import type { IoFailure } from "../../disk/disk-io.js";
import type { BusyFiles } from "./busy-files.js";
import type { Census } from "./census.js";
import type { Keeper } from "./keeper.js";
import { LEASE_RETRY_S, type LeaseHolder } from "./lease-holder.js";
import type { Ledger } from "./ledger.js";

/** Files that are removed in one go, so that who waits for room gets it soon. */
const CHUNK_FILES = 64;

export interface EvictorParts {
  readonly keeper: Keeper;
  readonly ledger: Ledger;
  readonly busy: BusyFiles;
  readonly lease: LeaseHolder;
  readonly census: Census;
  readonly clock: Clock;
  /** Files of the tier's own namespace that are gone. */
  readonly onGone: (files: readonly string[]) => void;
  readonly onFault: (error: unknown) => void;
}

/** A store that waits for room. */
interface Waiter {
  readonly bytes: number;
  /** Ends its wait; `true` = the bytes are reserved for it. */
  readonly end: (isReserved: boolean) => void;
}

/**
 * Makes room, the least recently used first. In two steps, so that no block goes which somebody reads or writes: the keeper
 * picks files, and only those that are still idle are doomed and then removed. While another process has the lease, stores
 * wait until it makes room or passes the lease on.
 */
export class Evictor {
  readonly #parts: EvictorParts;
  readonly #waiting = new Set<Waiter>();
  /** Bytes that are still to go. */
  #due = 0;
  #running: Promise<void> | null = null;
  /** Ends when what is doomed now is gone. */
  #removing: Promise<unknown> = Promise.resolve();
  /** Ends a pause. */
  #wake = (): void => {};
  #evictions = 0;
  #isClosed = false;

  constructor(parts: EvictorParts) {
    this.#parts = parts;
  }

  /** Files that were removed to make room, of any namespace. */
  get evictions(): number {
    return this.#evictions;
  }

  /** Whether others wait for room already, whose turn comes first. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Reserves `bytes` as soon as there is room for them; `false` when there is none to be had, or nobody wants it any more. */
  async reserve(bytes: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    return new Promise<boolean>((resolve) => {
      const onAbort = (): void => waiter.end(false);
      const waiter: Waiter = {
        bytes,
        end: (isReserved) => {
          this.#waiting.delete(waiter);
          if (this.#waiting.size === 0) this.#wake();
          signal.removeEventListener("abort", onAbort);
          resolve(isReserved);
        },
      };
      signal.addEventListener("abort", onAbort);
      this.#waiting.add(waiter);
      this.#start(this.#parts.ledger.lackingFor(bytes));
    });
  }

  /** Removes so many bytes, as far as that can be done. */
  async evict(bytes: number): Promise<void> {
    if (bytes <= 0) return;
    this.#start(bytes);
    await this.#running;
  }

  /** Resolves when the files that are doomed now are gone. */
  async settled(): Promise<void> {
    await this.#removing;
  }

  /** Begins nothing new. Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#running;
  }

  #start(bytes: number): void {
    this.#due = Math.max(this.#due, bytes);
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    let isHopeful = true;
    while (isHopeful && !this.#isClosed && (this.#due > 0 || this.#waiting.size > 0)) {
      isHopeful = await this.#chunk();
      this.#grant();
    }
    this.#due = 0;
    for (const { end } of [...this.#waiting]) end(false);
  }

  /** Whether trying again may make more room. */
  async #chunk(): Promise<boolean> {
    const { lease, census, ledger } = this.#parts;
    try {
      if (await lease.take()) {
        if (lease.takeIsNew()) await census.takeIfDue();
        return await this.#evictSome();
      }
      // Whoever has the lease makes room, which only a look at the disk shows.
      const before = ledger.used;
      await census.takeIfDue();
      return ledger.used < before || (lease.isElsewhere && (await this.#pause()));
    } catch (error) {
      this.#parts.onFault(error);
      return false;
    }
  }

  /** Until it is worth while to ask again. Returns whether anybody waits for it. */
  async #pause(): Promise<boolean> {
    if (this.#waiting.size === 0 || this.#isClosed) return false;
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(LEASE_RETRY_S, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    return this.#waiting.size > 0;
  }

  async #evictSome(): Promise<boolean> {
    const { keeper, ledger, busy } = this.#parts;
    const lacking = Math.max(this.#due, ...[...this.#waiting].map(({ bytes }) => ledger.lackingFor(bytes)));
    if (lacking <= 0) return true;
    await keeper.tell();
    const { count, files, isRetry } = await keeper.run({
      op: "choose",
      bytes: lacking,
      busy: busy.pinned,
      limit: CHUNK_FILES,
    });
    if ((count === 0 || isRetry) && (await this.#sweep())) return true;
    if (count === 0) return false;
    const removing = this.#remove(files);
    this.#removing = removing.catch(() => undefined);
    const fault = await removing;
    return !isRetry || fault === null;
  }

  /** What killed processes left goes before its time, when there is nothing else. Returns whether that made room. */
  async #sweep(): Promise<boolean> {
    const { keeper, ledger } = this.#parts;
    const before = ledger.used;
    await keeper.change({ op: "sweep" });
    return ledger.used < before;
  }

  /** Removes what was chosen: of the own namespace, `files`. */
  async #remove(files: readonly string[]): Promise<IoFailure | null> {
    const { keeper, busy, onGone, onFault } = this.#parts;
    const spared = busy.doom(files);
    try {
      const { bytes, evictions, files: gone, fault } = await keeper.change({ op: "evict", spared });
      this.#due -= bytes;
      this.#evictions += evictions;
      onGone(gone);
      if (fault !== null) onFault(fault);
      return fault;
    } finally {
      busy.doom([]);
    }
  }

  /** Lets those go on, in the order they came, for whom there is room. */
  #grant(): void {
    const { ledger } = this.#parts;
    for (const { bytes, end } of [...this.#waiting]) {
      if (bytes > ledger.free) return;
      ledger.reserve(bytes);
      end(true);
    }
  }
}
