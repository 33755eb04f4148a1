import type { OffloadKey } from "../../contracts/offload-key.js";
import type { RequestContext } from "../../contracts/request-context.js";
import { reasonOf } from "../../errors/factory-errors.js";
import type { DeadlineQueue } from "./deadline-queue.js";
import type { FailureLog } from "./failure-log.js";
import type { LookupEntry } from "./lookup-entry.js";

export interface ExistenceProbeParts {
  readonly deadlines: DeadlineQueue;
  readonly failures: FailureLog;
  readonly tierType: string;
  /** Probes past their deadline that may be out before no more are sent. */
  readonly maxOverdue: number;
  /** The tier author's own: may throw, reject, or answer nonsense. */
  readonly exists: (keys: readonly OffloadKey[], ctx: RequestContext) => unknown;
  onAnswer(entry: LookupEntry, isThere: boolean): void;
  /** A probe was answered, or given up. */
  onProbeEnded(): void;
}

/** Calls of `exists` that are out. Each ends in an answer for all its keys: what goes wrong, or takes too long, is a miss. */
export class ExistenceProbes {
  readonly #parts: ExistenceProbeParts;
  #inFlight = 0;
  #overdue = 0;
  #isClosed = false;

  constructor(parts: ExistenceProbeParts) {
    this.#parts = parts;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get isStalled(): boolean {
    return this.#overdue >= this.#parts.maxOverdue;
  }

  /** Nobody wants answers any more: what still goes wrong is no news. */
  close(): void {
    this.#isClosed = true;
  }

  send(entries: readonly LookupEntry[], ctx: RequestContext): void {
    void this.#run(entries, ctx);
  }

  async #run(entries: readonly LookupEntry[], ctx: RequestContext): Promise<void> {
    let isLate = false;
    this.#inFlight++;
    const cancelDeadline = this.#parts.deadlines.add(() => {
      isLate = true;
      this.#overdue++;
      this.#end(entries, null);
    });
    const verdicts = await this.#ask(entries, ctx);
    cancelDeadline();
    if (isLate) this.#overdue--;
    else this.#end(entries, verdicts);
  }

  /** `null` when there is no sound answer. Never rejects. */
  async #ask(entries: readonly LookupEntry[], ctx: RequestContext): Promise<readonly boolean[] | null> {
    const keys = entries.map((entry) => entry.key);
    try {
      const verdicts: unknown = await this.#parts.exists(keys, ctx);
      if (areVerdicts(verdicts, keys.length)) return verdicts;
      throw new Error(`exists() must answer with one boolean for each of its ${keys.length} keys.`);
    } catch (reason) {
      if (this.#isClosed) return null;
      this.#parts.failures.failed("A look-up failed and counts as a miss", {
        tier: this.#parts.tierType,
        keys: keys.length,
        error: reasonOf(reason),
      });
      return null;
    }
  }

  #end(entries: readonly LookupEntry[], verdicts: readonly boolean[] | null): void {
    this.#inFlight--;
    entries.forEach((entry, i) => this.#parts.onAnswer(entry, verdicts?.[i] ?? false));
    this.#parts.onProbeEnded();
  }
}

function areVerdicts(value: unknown, length: number): value is readonly boolean[] {
  return Array.isArray(value) && value.length === length && value.every((verdict) => typeof verdict === "boolean");
}
