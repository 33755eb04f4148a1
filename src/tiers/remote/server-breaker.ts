import type * as Cockatiel from "cockatiel";
import type { Clock } from "../../contracts/clock.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { Circuit, FAILURES_TO_OPEN } from "./circuit.js";

/** What is asked of a server. */
export const OPERATIONS = ["lookup", "load", "store"] as const;
export type Operation = (typeof OPERATIONS)[number];

export interface ServerBreakerParts {
  readonly cockatiel: typeof Cockatiel;
  /** Its address; `""` when the tier has one server alone. */
  readonly server: string;
  readonly clock: Clock;
  onChange(change: BreakerChange): void;
}

/** A circuit opened or closed. That a try failed is none. */
export interface BreakerChange {
  readonly hasOpened: boolean;
  /** For the log. */
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Of a circuit, for people: the fault, what follows from it, and what is said when it is over. */
const WORDS = {
  all: ["does not answer", "look-ups miss and stores are dropped until it does", "answers again"],
  lookup: ["fails look-ups", "they miss until one is answered", "answers look-ups again"],
  load: ["fails loads", "look-ups miss until one succeeds", "answers loads again"],
  store: ["fails stores", "they are dropped until one succeeds", "takes stores again"],
} as const;

/**
 * Keeps a tier away from a server that does not answer, or from what it fails at. {@link FAILURES_TO_OPEN} failures in a
 * row, whatever the operations, open the circuit of the server: all is refused then. So many of one kind, while others
 * succeed in between, open the circuit of that kind alone: a server that answers look-ups and hangs on loads would never
 * have a row of failures. Each circuit has its own try.
 *
 * While loads are refused so are look-ups: a hit that cannot be loaded is worse than a miss. Stores that fail keep nobody
 * from what is stored.
 */
export class ServerBreaker {
  readonly #parts: ServerBreakerParts;
  readonly #all: Circuit;
  readonly #kinds: Readonly<Record<Operation, Circuit>>;

  constructor(parts: ServerBreakerParts) {
    this.#parts = parts;
    const { ConsecutiveBreaker } = parts.cockatiel;
    this.#all = this.#circuit("all", new ConsecutiveBreaker(FAILURES_TO_OPEN));
    const kind = (operation: Operation): Circuit => {
      const row = new ConsecutiveBreaker(FAILURES_TO_OPEN);
      return this.#circuit(operation, {
        state: 0,
        success: () => row.success(),
        // When nothing else is answered either, the server is to blame.
        failure: () => row.failure() && this.#all.isClosed,
      });
    };
    this.#kinds = { lookup: kind("lookup"), load: kind("load"), store: kind("store") };
  }

  /** Whether nothing is refused, and nothing is being tried. */
  get isClosed(): boolean {
    return this.#all.isClosed && OPERATIONS.every((operation) => this.#kinds[operation].isClosed);
  }

  /**
   * Whether such operations are refused, or would be but that nobody has asked since: not of one kind alone, which may be
   * done without for long while all that is asked goes well.
   */
  isOpenFor(operation: Operation): boolean {
    return !this.#all.isClosed || this.#circuitsOf(operation).some((circuit) => circuit.refusal !== null);
  }

  /** Why an operation would be refused now, in a sentence; `null` when it would not. */
  refusalOf(operation: Operation): string | null {
    if (this.#all.refusal !== null) return this.#all.refusal;
    for (const { refusal } of this.#circuitsOf(operation)) if (refusal !== null) return refusal;
    return null;
  }

  /**
   * Takes notice of an operation that was not refused and has just begun.
   *
   * @param verdict rejects when the server has failed it
   */
  observe(operation: Operation, verdict: Promise<void>): void {
    // One after the other: the circuit of the kind looks at the row of the server.
    this.#kinds[operation].observe(this.#all.observe(verdict)).catch(() => {});
  }

  /** A load that is tried is found by a look-up: those are refused as loads are. */
  #circuitsOf(operation: Operation): readonly Circuit[] {
    const { lookup, load } = this.#kinds;
    return operation === "lookup" ? [lookup, load] : [this.#kinds[operation]];
  }

  #circuit(name: keyof typeof WORDS, breaker: Cockatiel.IBreaker): Circuit {
    const parts = this.#parts;
    const { cockatiel, clock, server } = parts;
    const [fault, effect, end] = WORDS[name];
    const where = server === "" ? {} : { server };
    let isReported = false;
    return new Circuit(cockatiel, {
      clock,
      breaker,
      fault: `${server === "" ? "The server" : server} ${fault}`,
      onOpened: (reason) => {
        if (isReported) return;
        isReported = true;
        const fields = { ...where, failures: FAILURES_TO_OPEN, error: reasonOf(reason) };
        parts.onChange({ hasOpened: true, message: `The server ${fault}: ${effect}`, fields });
      },
      onClosed: () => {
        isReported = false;
        parts.onChange({ hasOpened: false, message: `The server ${end}`, fields: where });
      },
    });
  }
}
