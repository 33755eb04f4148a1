import type { Clock } from "../../contracts/clock.js";
import type { Logger } from "../../contracts/logger.js";

/** Seconds in which one kind of failure is a warning once. */
const QUIET_S = 60;
/** Kinds that are told apart; causes come from outside, and may have any name. */
const MAX_KINDS = 64;

interface Seen {
  quietUntil: number;
  /** Failures since the last warning. */
  unlogged: number;
}

/**
 * Reports failures without flooding the log, however many there are and whatever succeeds in between: one line for each
 * kind, and from then on at most one a minute that says how many there were. The rest is for debugging.
 */
export class FailureLog {
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  /** @param cause what kind of failure it is, besides the message: the `code` of an error */
  failed(message: string, fields: Readonly<Record<string, unknown>>, cause = ""): void {
    const kind = `${message}\n${cause}`;
    const now = this.#clock.now();
    const seen = this.#seen.get(kind);
    if (seen !== undefined && now < seen.quietUntil) {
      seen.unlogged++;
      this.#logger.debug(message, fields);
      return;
    }
    if (this.#seen.size >= MAX_KINDS) this.#seen.clear();
    this.#seen.set(kind, { quietUntil: now + QUIET_S, unlogged: 0 });
    const unlogged = seen?.unlogged ?? 0;
    this.#logger.warn(message, unlogged === 0 ? fields : { ...fields, unlogged });
  }
}
