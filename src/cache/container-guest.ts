import type { Container, ContainerModule } from "inversify";
import type { Registries } from "../factory/registries.js";
import type { SecondaryTierFactory } from "../factory/secondary-tier-factory.js";
import { TOKENS } from "../tokens.js";

/** A module in a container that may be the caller's: when things go wrong, nothing of it stays behind. */
export class ContainerGuest {
  readonly #container: Container;
  readonly #module: ContainerModule;
  /** Tokens that the module binds and the container did not have before. */
  readonly #tokens: readonly string[];

  constructor(container: Container, module: ContainerModule, registries: Registries) {
    this.#container = container;
    this.#module = module;
    const tokens = [...Object.values(TOKENS), ...registries.tokens()];
    this.#tokens = tokens.filter((token) => !container.isCurrentBound(token));
  }

  load(): void {
    this.#container.load(this.#module);
  }

  /** Closes the tiers made so far, and takes every binding back, so that the container can be tried again. Never throws. */
  async leave(): Promise<void> {
    try {
      await this.#container.get<SecondaryTierFactory>(TOKENS.tierFactory).close();
    } catch {
      // What brought us here is the error to report.
    }
    try {
      this.#container.unload(this.#module);
      // A token that was rebound is no longer the module's, and would be ambiguous beside the next module's.
      for (const token of this.#tokens) if (this.#container.isCurrentBound(token)) this.#container.unbind(token);
    } catch {
      // As above: a binding of the application's that cannot be taken back synchronously.
    }
  }
}
