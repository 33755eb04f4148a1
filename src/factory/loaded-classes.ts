import type { AnyClass } from "../contracts/tier-metadata.js";
import type { Registration } from "./class-registry.js";
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

  /**
   * Binds `token` to a class that is loaded at first use, if nothing is bound there: what was bound before the class was
   * registered is an override and keeps serving.
   */
  bindLazily(token: string, registration: Registration): void {
    if (this.#resolver.isBound(token)) return;
    this.#resolver.bindDynamic(token, async () => this.#resolver.getAsync(this.tokenOf(await registration.load())));
  }
}
