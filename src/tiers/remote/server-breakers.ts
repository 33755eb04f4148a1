import type * as Cockatiel from "cockatiel";
import type { Clock } from "../../contracts/clock.js";
import type { Logger } from "../../contracts/logger.js";
import type { TierFigures } from "../../contracts/secondary-tier-manager.js";
import { CHANNELS } from "../../diagnostics/channels.js";
import { OPERATIONS, ServerBreaker, type BreakerChange, type Operation } from "./server-breaker.js";
import { untilAborted } from "./until-aborted.js";

export interface BreakerParts {
  readonly tierType: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Whether the server did answer, with this error. */
  readonly isAnswer: (error: unknown) => boolean;
}

/**
 * A {@link ServerBreaker} for each server of a tier, by its name: what one of them fails costs nothing that others hold.
 *
 * A failure is whatever is the server's doing: an error, or no answer before the signal is aborted. That a block is not
 * there, or is damaged, is an answer. Several operations that fail together count one by one.
 */
export class ServerBreakers {
  readonly #parts: BreakerParts;
  readonly #cockatiel: typeof Cockatiel;
  readonly #byServer = new Map<string, ServerBreaker>();
  #isQuiet = true;
  #isShutDown = false;
  #opens = 0;
  #failures = 0;

  /** The package that they stand on is loaded only when there is a remote tier. */
  static async load(parts: BreakerParts): Promise<ServerBreakers> {
    return new ServerBreakers(await import("cockatiel"), parts);
  }

  private constructor(cockatiel: typeof Cockatiel, parts: BreakerParts) {
    this.#cockatiel = cockatiel;
    this.#parts = parts;
  }

  /** Whether no server is refused anything. */
  get isQuiet(): boolean {
    return this.#isQuiet;
  }

  /** Why an operation would be refused now, in a sentence; `null` when it would not. */
  refusalOf(server: string, operation: Operation): string | null {
    return this.#isQuiet ? null : (this.#byServer.get(server)?.refusalOf(operation) ?? null);
  }

  /**
   * Runs `act`, unless it is refused, and answers as it does. An abort counts at once; the answer still waits for the
   * operation to settle, because until then it may touch its block.
   *
   * @param signal aborted when the operation took too long
   */
  async run<T>(server: string, operation: Operation, act: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const refusal = this.refusalOf(server, operation);
    if (refusal !== null) throw new Error(refusal);
    const answer = (async () => act())();
    this.#breakerOf(server).observe(operation, this.#verdictOn(answer, signal));
    return answer;
  }

  /** Forgets the servers that are not among these: they have no blocks any more. */
  retain(servers: readonly string[]): void {
    const kept = new Set(servers);
    for (const server of this.#byServer.keys()) if (!kept.has(server)) this.#byServer.delete(server);
    this.#look();
  }

  /** From now on failures are the tier's own doing. */
  shutDown(): void {
    this.#isShutDown = true;
  }

  /**
   * `breakerOpen`: servers that are refused something, or everything, if anybody asked. Of those, `breakerOpenLookups`,
   * `breakerOpenLoads` and `breakerOpenStores` are refused these; `breakerOpen:<address>` is 1 for each, where servers
   * have names. `breakerOpens`: how often it came to that; `engineFailures`: operations that failed.
   */
  get figures(): TierFigures {
    const isOpen = (breaker: ServerBreaker): boolean => OPERATIONS.some((operation) => breaker.isOpenFor(operation));
    const open = [...this.#byServer].filter(([, breaker]) => isOpen(breaker));
    const [lookups, loads, stores] = OPERATIONS.map(
      (operation) => open.filter(([, breaker]) => breaker.isOpenFor(operation)).length,
    );
    return {
      breakerOpen: open.length,
      breakerOpenLookups: lookups ?? 0,
      breakerOpenLoads: loads ?? 0,
      breakerOpenStores: stores ?? 0,
      breakerOpens: this.#opens,
      engineFailures: this.#failures,
      ...Object.fromEntries(open.filter(([server]) => server !== "").map(([server]) => [`breakerOpen:${server}`, 1])),
    };
  }

  #breakerOf(server: string): ServerBreaker {
    let breaker = this.#byServer.get(server);
    if (breaker === undefined) {
      const { clock } = this.#parts;
      const onChange = (change: BreakerChange): void => this.#changed(server, change);
      breaker = new ServerBreaker({ cockatiel: this.#cockatiel, server, clock, onChange });
      this.#byServer.set(server, breaker);
    }
    return breaker;
  }

  #changed(server: string, { hasOpened, message, fields }: BreakerChange): void {
    if (hasOpened) this.#opens++;
    this.#look();
    const { logger, tierType } = this.#parts;
    if (!this.#isShutDown) logger.warn(message, { tier: tierType, ...fields });
    if (CHANNELS.breaker.hasSubscribers) CHANNELS.breaker.publish({ tierType, server, open: hasOpened, message });
  }

  #look(): void {
    this.#isQuiet = [...this.#byServer.values()].every((breaker) => breaker.isClosed);
  }

  /** Rejects when the server is at fault. */
  async #verdictOn(answer: Promise<unknown>, signal: AbortSignal): Promise<void> {
    try {
      await untilAborted(answer, signal);
    } catch (error) {
      if (this.#isShutDown || this.#parts.isAnswer(error)) return;
      this.#failures++;
      throw error;
    }
  }
}
