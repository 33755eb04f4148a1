import type { CreateTieringOptions } from "../cache/create-tiering.js";
import type { TieringConfigInput } from "../config/tiering-config-input.js";
import type { ComponentClasses } from "../factory/registries.js";

/** What one cache of an application is made from; `forRootAsync` gets it from a factory. */
export interface KvTierModuleOptions extends Omit<CreateTieringOptions, keyof ComponentClasses> {
  /** The config, as for `createTiering`, or the path of its file: JSON, or JSON with comments. */
  readonly config: TieringConfigInput | string;
  /**
   * Seconds that transfers have to end when the application closes; absent: 10. A tier that hangs is given up soon after:
   * the whole takes at most 2 s more, and 1 s for each further tier that hangs. Not counted: the time in which the HTTP
   * server answers its last requests.
   */
  readonly shutdownDeadlineS?: number;
}

/**
 * What Nest has to know before any option is there, such as the tokens of the classes. In `forRootAsync` it stands beside
 * the factory.
 */
export interface KvTierModuleExtras extends ComponentClasses {
  /** Tells several caches of one application apart, such as one for each model. Absent: `default`. */
  readonly name?: string;
  /** Whether every module of the application can inject the cache without importing this module. Absent: no. */
  readonly isGlobal?: boolean;
}

/** What `useClass` and `useExisting` of `forRootAsync` take. */
export interface KvTierOptionsFactory {
  createKvTierOptions(): KvTierModuleOptions | Promise<KvTierModuleOptions>;
}
