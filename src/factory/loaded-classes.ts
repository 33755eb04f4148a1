import type { AnyClass } from "../contracts/tier-metadata.js";
import type { Resolver } from "./resolver.js";

/** Tokens of classes that a config named and a module delivered: bound once each, so that inversify can build them. */
export class LoadedClasses {
  readonly #tokens = new Map<AnyClass, string>();
  readonly #resolver: Resolver;

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  tokenOf(target: AnyClass): string {
    let token = this.#tokens.get(target);
    if (token === undefined) {
      token = `kv.loaded:${this.#tokens.size}:${target.name}`;
      this.#resolver.bindClass(token, target);
      this.#tokens.set(target, token);
    }
    return token;
  }
}
