import type { Clock } from "../../../contracts/clock.js";
import type { TierFigures } from "../../../contracts/secondary-tier-manager.js";
import { BusyFiles } from "./busy-files.js";
import { Census } from "./census.js";
import { Evictor } from "./evictor.js";
import type { Keeper } from "./keeper.js";
import { LeaseHolder } from "./lease-holder.js";
import { asError } from "../../shared/checked-io.js";
import type { Ledger } from "./ledger.js";
import { repeat } from "./repeat.js";

/** Within which what others do on the folder is seen, and how often temporary files are swept. */
const RESCAN_S = 60;
/** How often uses are written down. */
const PERSIST_S = 10;

export interface SpaceParts {
  readonly keeper: Keeper;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** The most that the file of a block takes, in bytes. */
  readonly fileBytes: number;
  /** Files of the tier's own namespace were removed to make room. */
  readonly onGone: (files: readonly string[]) => void;
  readonly onFault: (message: string, error: unknown) => void;
}

/** What a store may write: its first `count` blocks. */
export interface Admission {
  readonly count: number;
  /**
   * Ends it. `sizes` are the bytes of the files that were written, 0 for one that was there, `null` for a failure; `isCut`
   * = the threads were ended in the middle of it, and nobody knows how far they had come.
   */
  readonly end: (sizes: readonly (number | null)[], isCut: boolean) => void;
}

/** The bound of one root: lets stores in as far as there is room, makes room, and knows which blocks were used last. */
export class Space {
  readonly #parts: SpaceParts;
  readonly #busy = new BusyFiles();
  readonly #lease: LeaseHolder;
  readonly #census: Census;
  readonly #evictor: Evictor;
  #timers: readonly (() => void)[] = [];

  constructor(parts: SpaceParts) {
    const { keeper, ledger, clock, onGone, onFault } = parts;
    this.#parts = parts;
    this.#lease = new LeaseHolder(keeper, clock, (error) => onFault("The lease to evict could not be had", error));
    this.#census = new Census({
      keeper,
      clock,
      onDone: ({ fault }) => {
        if (fault !== null) onFault("A folder could not be read: what is in it is not counted", fault);
      },
      onFault: (error) => onFault("The stored blocks could not be counted", error),
    });
    this.#evictor = new Evictor({
      keeper,
      ledger,
      busy: this.#busy,
      lease: this.#lease,
      census: this.#census,
      clock,
      onGone,
      onFault: (error) => onFault("A block could not be evicted", error),
    });
  }

  get figures(): TierFigures {
    const { used, max } = this.#parts.ledger;
    return { used, max, evictions: this.#evictor.evictions };
  }

  /** Counts what is there, and removes what is too much. */
  async open(): Promise<void> {
    const { clock, ledger } = this.#parts;
    this.#timers = [
      repeat(clock, RESCAN_S, () => this.#rescan()),
      repeat(clock, PERSIST_S, () => this.#persist()),
      () => this.#lease.close(),
    ];
    const isHolder = await this.#lease.open();
    await this.#census.take();
    if (isHolder) await this.#evictor.evict(ledger.excess);
  }

  /**
   * Waits for room, and reserves it. Until its end the admission keeps the files from being evicted.
   *
   * @throws the reason of `signal` when that is aborted
   */
  async admit(files: readonly string[], signal: AbortSignal): Promise<Admission> {
    this.#busy.pin(files);
    try {
      const isDoomed = (file: string): boolean => this.#busy.isDoomed(file);
      while (files.some(isDoomed)) await unlessAborted(this.#evictor.settled(), signal);
      const count = await this.#reserve(files.length, signal);
      const { keeper } = this.#parts;
      const { removals } = keeper;
      const isRaced = (): boolean => keeper.isRemoving || keeper.removals !== removals;
      return { count, end: (sizes, isCut) => this.#endStore(files, sizes, { count, isCut, isRaced: isRaced() }) };
    } catch (error) {
      this.#busy.unpin(files);
      throw error;
    }
  }

  /** Pins the files that a load is about to read. Returns those that are not to be read: they are on their way out. */
  beginLoad(files: readonly string[]): ReadonlySet<string> {
    const doomed = new Set(files.filter((file) => this.#busy.isDoomed(file)));
    this.#busy.pin(files);
    return doomed;
  }

  /** @param isRead of each file, whether it was; `null` = it was not tried */
  endLoad(files: readonly string[], isRead: readonly (boolean | null)[]): void {
    const { keeper } = this.#parts;
    files.forEach((file, i) => {
      if (isRead[i] === true) keeper.used(file);
      else if (isRead[i] === false) keeper.doubt(file);
    });
    if (isRead.includes(false)) void keeper.tell();
    this.#busy.unpin(files);
  }

  /** The blocks were used, wherever the bytes came from; some may have no file. */
  touch(files: readonly string[]): void {
    for (const file of files) this.#parts.keeper.touched(file);
  }

  isDoomed(file: string): boolean {
    return this.#busy.isDoomed(file);
  }

  /** Writes down what is known, and lets another process evict. */
  async close(): Promise<void> {
    for (const stop of this.#timers) stop();
    await this.#evictor.close();
    await this.#persist();
    await this.#parts.keeper.run({ op: "close" });
  }

  /** Reserves room for `blocks` files, or for as many as there is room for. Returns their number. */
  async #reserve(blocks: number, signal: AbortSignal): Promise<number> {
    const { ledger, fileBytes } = this.#parts;
    const bytes = blocks * fileBytes;
    if (!ledger.isCounted) await unlessAborted(this.#census.takeIfDue(), signal);
    if (!ledger.isCounted) return 0;
    // Something may have gone that the books do not show yet.
    if (ledger.free < bytes) await unlessAborted(this.#parts.keeper.tell(), signal);
    if (ledger.free < bytes || this.#evictor.isAwaited) {
      if (await this.#evictor.reserve(bytes, signal)) return blocks;
      signal.throwIfAborted();
    }
    const count = Math.min(blocks, Math.max(0, Math.floor(ledger.free / fileBytes)));
    ledger.reserve(count * fileBytes);
    return count;
  }

  #endStore(
    files: readonly string[],
    sizes: readonly (number | null)[],
    { count, isCut, isRaced }: { count: number; isCut: boolean; isRaced: boolean },
  ): void {
    const { keeper, ledger, fileBytes } = this.#parts;
    let stored = 0;
    files.forEach((file, i) => {
      const size = sizes[i] ?? null;
      if (size === 0) keeper.used(file);
      else if (size === null) {
        if (isCut && i < count) keeper.cut(file);
      }
      // Whether it was removed after it was written, or before, only a look at the disk tells.
      else if (isRaced) keeper.doubt(file);
      else {
        keeper.stored(file, size);
        stored += size;
      }
    });
    const bytes = count * fileBytes;
    const isSure = !isCut && !isRaced;
    ledger.settle(isSure ? bytes : stored, stored);
    this.#busy.unpin(files);
    // What is there, and what the threads left, stays reserved until the keeper has counted it, or removed it.
    if (!isSure) void keeper.tell().then(() => ledger.settle(bytes - stored, 0));
  }

  async #rescan(): Promise<void> {
    if (!this.#lease.isHeld || this.#census.restS > 0) return;
    await this.#persist();
    await this.#census.take();
    await this.#evictor.evict(this.#parts.ledger.overshoot);
  }

  async #persist(): Promise<void> {
    try {
      await this.#parts.keeper.persist();
    } catch (error) {
      this.#parts.onFault("The times of use could not be written down", error);
    }
  }
}

/** Waits for `work`, but no longer than until `signal` is aborted. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(asError(signal.reason));
    signal.addEventListener("abort", onAbort);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
