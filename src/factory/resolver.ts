import type { AnyClass } from "../contracts/tier-metadata.js";

/** What the factories need of the container that the module was loaded into. */
export interface Resolver {
  getAsync<T>(token: string): Promise<T>;
  /** Whether the container, or a parent of it, has a binding for `token`. */
  isBound(token: string): boolean;
  /** Binds `token` to a class, transient. */
  bindClass(token: string, target: AnyClass): void;
  /** Binds `token` to whatever `create` returns, asked anew each time. */
  bindDynamic(token: string, create: () => unknown): void;
}
