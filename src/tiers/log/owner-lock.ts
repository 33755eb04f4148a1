import type { Clock } from "../../contracts/clock.js";
import type { OwnerFiles } from "./owner-files.js";
import { STALE_AFTER_S } from "./take-ownership.js";

const BEAT_S = 2;
/** Without a sign of life for longer than this, the folder may be another's, and work waits for certainty. */
const SURE_FOR_S = STALE_AFTER_S - BEAT_S;

/** Keeps a folder this process's own, and finds out when it is not any more. */
export class OwnerLock {
  readonly #files: OwnerFiles;
  readonly #clock: Clock;
  readonly #onLost: () => void;
  #sureSince: number;
  #isLost = false;
  #beat: Promise<void> | null = null;
  #cancelTimer = (): void => {};

  /** @param onLost called once, when another process has become the owner, or the folder is gone */
  constructor(files: OwnerFiles, clock: Clock, onLost: () => void) {
    this.#files = files;
    this.#clock = clock;
    this.#onLost = onLost;
    this.#sureSince = clock.now();
    this.#wait();
  }

  /** Path that is there as long as this process owns the folder. */
  get token(): string {
    return this.#files.token;
  }

  /** Whether the folder is certainly this process's: if it was frozen, another may have taken over meanwhile. */
  get isSure(): boolean {
    return !this.#isLost && this.#clock.now() - this.#sureSince < SURE_FOR_S;
  }

  /** Whether the folder is this process's, by what is known or, if that is too old, by what the folder says now. */
  async isHeld(): Promise<boolean> {
    return this.isSure || this.confirm();
  }

  /** Whether the folder is this process's, now. */
  async confirm(): Promise<boolean> {
    await this.#joinBeat();
    // The one that was under way may have begun before whatever came in between.
    if (!this.isSure && !this.#isLost) await this.#joinBeat();
    return this.isSure;
  }

  /** What somebody else saw: the folder is another's. */
  lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#cancelTimer();
    this.#onLost();
  }

  async release(): Promise<void> {
    this.#isLost = true;
    this.#cancelTimer();
    await this.#beat;
    await this.#files.remove();
  }

  async #joinBeat(): Promise<void> {
    this.#beat ??= this.#showLife();
    await this.#beat;
  }

  #wait(): void {
    this.#cancelTimer = this.#clock.after(BEAT_S, () => void this.confirm().then(() => this.#isLost || this.#wait()));
  }

  /** Never rejects. */
  async #showLife(): Promise<void> {
    const startedAt = this.#clock.now();
    // A disk that is full or read-only refuses this, and takes the folder from nobody.
    await this.#files.showLife().catch(() => {});
    const isOwner = await this.#files.isOwner();
    this.#beat = null;
    if (this.#isLost) return;
    if (isOwner) this.#sureSince = startedAt;
    else this.lose();
  }
}
