import { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";
import type { RequestContext } from "../contracts/request-context.js";
import { at } from "../primary/at.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";

/**
 * Works towards the longest prefix of `keys`, pinning each block as soon as all before it are pinned: a look-up hit is
 * no pin, and what is not pinned may be gone at the next look.
 */
export class PrefixAcquisition {
  readonly #manager: TieringOffloadingManager;
  readonly #ctx: RequestContext;
  readonly #keys: readonly OffloadKey[];
  readonly #blockIds: number[] = [];
  readonly #sources: string[] = [];
  /** Keys from here on are known to be out of reach. */
  #end: number;
  /** Whether some key was not looked at yet, or a tier has not said whether it has it. */
  #isOpen = true;

  constructor(manager: TieringOffloadingManager, keys: readonly OffloadKey[], ctx: RequestContext) {
    this.#manager = manager;
    this.#keys = keys;
    this.#ctx = ctx;
    this.#end = keys.length;
  }

  /** Slots of the pinned prefix, in key order. */
  get blockIds(): readonly number[] {
    return this.#blockIds;
  }

  /** Label of the tier that served each pinned block. */
  get sources(): readonly string[] {
    return this.#sources;
  }

  get pinnedKeys(): readonly OffloadKey[] {
    return this.#keys.slice(0, this.#blockIds.length);
  }

  /**
   * Looks again at what is beyond the pinned prefix, as far as that may have changed. `true`: nothing more is to be had.
   */
  advance(): boolean {
    let contiguous = true;
    let looksAtAll = this.#isOpen;
    this.#isOpen = false;
    for (let i = this.#blockIds.length; i < this.#end; i++) {
      const key = this.#keys[i];
      const found = key === undefined ? LookupResult.Miss : this.#manager.lookup(key, this.#ctx);
      if (key === undefined || found === LookupResult.Miss) {
        this.#end = i;
      } else if (found === LookupResult.Hit) {
        if (contiguous) this.#pin(key);
      } else {
        contiguous = false;
        if (found === LookupResult.Retry) this.#isOpen = looksAtAll = true;
        // What lies further on is asked for in the same step; once it is on its way, it has time until this one is here.
        if (!looksAtAll) break;
      }
    }
    return this.#blockIds.length === this.#end;
  }

  /** Ends the search. Blocks beyond the pinned prefix that are still on their way are nobody's business of this request. */
  stop(): void {
    const { length } = this.#blockIds;
    if (length < this.#keys.length) this.#manager.stopWaiting(this.#keys.slice(length), this.#ctx);
  }

  #pin(key: OffloadKey): void {
    this.#blockIds.push(at(this.#manager.prepareLoad([key], this.#ctx), 0));
    this.#sources.push(this.#manager.sourceOf(key, this.#ctx));
  }
}
