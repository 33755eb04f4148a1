import { joinPath } from "./config-path.js";
import { isSecretKey } from "../errors/secrets.js";
import { snakeCase } from "./spelling.js";

/** Where a value stands in the caller's config: what its problems are reported under, and whether it may be shown. */
export class OptionScope {
  readonly path: string;
  /** Under a key, or inside an object under a key, whose values are secrets. */
  readonly secret: boolean;
  /** Levels below the root of the options. */
  readonly depth: number;
  /** Set once a problem of this value is known, so that validators do not repeat it in other words. */
  reported = false;
  readonly #fields = new Map<string, OptionScope>();

  /** The value as the caller wrote it, before decorators change it; `undefined` when it was left out. */
  readonly written: unknown;

  constructor(path: string, secret = false, depth = 0, written?: unknown) {
    this.path = path;
    this.secret = secret;
    this.depth = depth;
    this.written = written;
  }

  /** Records that the field `name` was given under `key`, as `written`. */
  enter(name: string, key: string | number, written: unknown): OptionScope {
    const secret = this.secret || isSecretKey(name);
    return this.#keep(name, new OptionScope(joinPath(this.path, key), secret, this.depth + 1, written));
  }

  /** The field `name`: as it was given, or else under its snake_case key. */
  field(name: string): OptionScope {
    const known = this.#fields.get(name);
    if (known !== undefined) return known;
    const secret = this.secret || isSecretKey(name);
    return this.#keep(name, new OptionScope(joinPath(this.path, snakeCase(name)), secret, this.depth + 1));
  }

  #keep(name: string, scope: OptionScope): OptionScope {
    this.#fields.set(name, scope);
    return scope;
  }
}
