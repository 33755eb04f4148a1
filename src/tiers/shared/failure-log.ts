import type { Logger } from "../../contracts/logger.js";

/** Reports failures without flooding the log: of those in a row, the 1st, 10th, 100th … as warnings, the rest as debug. */
export class FailureLog {
  readonly #logger: Logger;
  #inARow = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  failed(message: string, fields: Readonly<Record<string, unknown>>): void {
    this.#inARow++;
    const log = Number.isInteger(Math.log10(this.#inARow)) ? this.#logger.warn : this.#logger.debug;
    log.call(this.#logger, message, { ...fields, failuresInARow: this.#inARow });
  }

  succeeded(): void {
    this.#inARow = 0;
  }
}
