import type { AnyClass } from "../contracts/tier-metadata.js";
import type { Resolver } from "./resolver.js";

/** Tokens of classes that a config named and a module delivered: bound once each, so that inversify can build them. */
export class LoadedClasses {
  readonly #tokens = new Map<AnyClass, string>();
  readonly #resolver: Resolver;

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  /** @throws the container's error for a class that it cannot build, such as one with parameters without `@inject`. */
  tokenOf(target: AnyClass): string {
    const token = this.#tokens.get(target) ?? `kv.loaded:${this.#tokens.size}:${target.name}`;
    this.#tokens.set(target, token);
    // Restoring a snapshot of the container takes away the bindings that were made since.
    if (!this.#resolver.isBound(token)) this.#resolver.bindClass(token, target);
    return token;
  }
}
