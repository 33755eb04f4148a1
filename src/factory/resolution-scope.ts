import { AsyncLocalStorage } from "node:async_hooks";
import { Container } from "inversify";
import { endlessCreation } from "../errors/factory-errors.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { TOKENS } from "../tokens.js";

/** Tokens that have a value only while one tier, detector, policy or spec is created, and another one for each. */
export const SCOPED_TOKENS = [
  TOKENS.tierType,
  TOKENS.tierConfig,
  TOKENS.tierContext,
  TOKENS.backpressureDetector,
  TOKENS.detectorConfig,
  TOKENS.policyConfig,
  TOKENS.backpressurePolicy,
  TOKENS.tieringConfig,
] as const;

/** Tiers made of tiers made of tiers; nobody needs this many. */
const MAX_NESTING = 16;

type ScopedToken = (typeof SCOPED_TOKENS)[number];

/**
 * The values of one tier while it is created, in a child container of its own.
 *
 * A container module does not get to see the container it is loaded into, so the child cannot name it as its parent.
 * The link is made the other way round: the root binds each scoped token to {@link ResolutionScope.resolve}, which asks
 * the child of the creation that is under way. Resolution thus starts in the root, with everything that users bound or
 * rebound there, and scoped tokens come from the child; creations that overlap in time keep apart.
 */
export class ResolutionScope {
  static readonly #current = new AsyncLocalStorage<ResolutionScope>();
  /** Creations that are under way in this process. */
  static #underWay = 0;

  /** Who is created, for error messages. */
  readonly owner: string;
  /** Tokens of the creations that are under way around this one, outermost first, and its own. */
  readonly path: readonly string[];
  readonly #child = new Container();
  #running = 0;

  /**
   * @param token what is created: the tier's or the spec's token
   * @throws KvTierError `INVALID_STATE` when creations are nested so deep that they must be going in a circle.
   */
  constructor(owner: string, token: string) {
    this.owner = owner;
    this.path = [...(ResolutionScope.current?.path ?? []), token];
    if (this.path.length > MAX_NESTING) throw endlessCreation(this.path);
  }

  /** The creation that is under way, if there is one. */
  static get current(): ResolutionScope | undefined {
    const scope = ResolutionScope.#current.getStore();
    // What a finished creation set going, such as a timer, still runs in its flow.
    return scope !== undefined && scope.#running > 0 ? scope : undefined;
  }

  /** The value of `token` in the creation that is under way. */
  static resolve(token: ScopedToken): unknown {
    const scope = ResolutionScope.#current.getStore();
    if (scope === undefined) {
      throw new KvTierError(
        "INVALID_STATE",
        `'${token}' has a value only while a tier is created; inject it into the tier (or its detector or policy).`,
      );
    }
    return scope.#get(token);
  }

  /** Binds `token` for the rest of this creation, in place of an earlier value. */
  provide(token: ScopedToken, value: unknown): this {
    this.withdraw(token);
    this.#child.bind(token).toConstantValue(value);
    return this;
  }

  withdraw(...tokens: readonly ScopedToken[]): this {
    for (const token of tokens) if (this.#child.isCurrentBound(token)) this.#child.unbind(token);
    return this;
  }

  /** Runs `fn`, and everything it awaits, with this scope's values. */
  async run<T>(fn: () => Promise<T>): Promise<T> {
    this.#running++;
    ResolutionScope.#underWay++;
    try {
      return await ResolutionScope.#current.run(this, fn);
    } finally {
      this.#running--;
      // While a storage is in use, Node 20 and 22 hook into every promise of the process: each await takes several times as
      // long, for ever after the first creation.
      if (--ResolutionScope.#underWay === 0) ResolutionScope.#current.disable();
    }
  }

  /** Lets go of every value. */
  release(): void {
    this.#child.unbindAll();
  }

  #get(token: ScopedToken): unknown {
    if (!this.#child.isCurrentBound(token)) {
      throw new KvTierError("INVALID_STATE", `'${token}' has no value while ${this.owner} is created.`);
    }
    return this.#child.get(token);
  }
}
