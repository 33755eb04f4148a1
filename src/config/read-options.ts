import type { Class } from "../contracts/tier-metadata.js";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { joinPath } from "./config-path.js";
import { declaredOptions, nestedClassOf, type DeclaredOption } from "./declared-options.js";
import { kindOf } from "./describe-value.js";
import type { OptionScope } from "./option-scope.js";
import { clonePlainData, isPlainObject, MAX_DEPTH } from "./plain-data.js";
import { snakeCase } from "./spelling.js";
import { suggestKey } from "./suggest-key.js";
import { takeKeys } from "./take-keys.js";

/** More are not read. */
const MAX_LISTED_KEYS = 12;

/**
 * A copy of `raw` with the field names of `target`, ready for class-transformer. Everything that class-transformer or
 * class-validator would let pass in silence is found here: unknown keys (also those that look like inherited ones),
 * options given twice, `null`, an array where an object belongs, functions and instances.
 *
 * @param siblings further keys, in snake_case, that are read elsewhere and may be what a misspelt key meant
 */
export function readOptions(
  target: Class,
  raw: object,
  scope: OptionScope,
  problems: ConfigProblem[],
  siblings: readonly string[] = [],
): Record<string, unknown> {
  const declared = declaredOptions(target);
  const { given, rest } = takeKeys(raw, declared.keys(), scope.path, problems);
  reportUnknown(rest, [...[...declared.keys()].map(snakeCase), ...siblings], scope.path, problems);

  const plain: Record<string, unknown> = {};
  const defaults = new target() as Record<string, unknown>;
  for (const [name, option] of declared) {
    const found = given.get(name);
    const reader = new OptionReader(target, name, option, problems);
    let value: unknown;
    if (found !== undefined) {
      value = reader.read(found.value, scope.enter(name, found.key, found.value));
    } else if (option.nested !== null && !option.optional && defaults[name] === undefined) {
      value = reader.readAbsent(scope.field(name));
    }
    if (value !== undefined) plain[name] = value;
  }
  return plain;
}

/** Reports each of `keys` as unknown, with the known key (snake_case) that it resembles, or all that there are. */
export function reportUnknown(
  keys: readonly PropertyKey[],
  known: readonly string[],
  path: string,
  problems: ConfigProblem[],
): void {
  for (const key of keys) {
    const suggestion = typeof key === "string" ? suggestKey(key, known) : undefined;
    const hint = suggestion === undefined ? knownKeys(known) : `, did you mean ${suggestion}?`;
    problems.push({ path: joinPath(path, key), message: `unknown key${hint}` });
  }
}

function knownKeys(known: readonly string[]): string {
  const keys = [...new Set(known)];
  return keys.length === 0 || keys.length > MAX_LISTED_KEYS ? "" : `; known are ${keys.join(", ")}`;
}

/** Reads the value of one field. */
class OptionReader {
  readonly #owner: Class;
  readonly #name: string;
  readonly #option: DeclaredOption;
  readonly #problems: ConfigProblem[];

  constructor(owner: Class, name: string, option: DeclaredOption, problems: ConfigProblem[]) {
    this.#owner = owner;
    this.#name = name;
    this.#option = option;
    this.#problems = problems;
  }

  /** The value to transform; `undefined`, with the scope marked, after a problem. */
  read(value: unknown, scope: OptionScope): unknown {
    if (value === null) return this.#refuse(scope, "must not be null; leave the key out instead");
    if (this.#option.orFlag && typeof value === "boolean") return value;
    if (this.#option.nested === "object") return this.#readObject(value, scope);
    if (this.#option.nested === "list") return this.#readList(value, scope);
    return this.#readLeaf(value, scope);
  }

  /** As {@link read}, of a required block that was left out: each key that it must have is told of with its own path. */
  readAbsent(scope: OptionScope): unknown {
    if (this.#option.nested === "list") return this.#refuse(scope, "is missing; it must be an array of objects");
    return this.#readObject({}, scope);
  }

  #readLeaf(value: unknown, scope: OptionScope): unknown {
    const before = this.#problems.length;
    const copy = clonePlainData(value, scope.path, "reject", this.#problems, scope.depth);
    if (this.#problems.length > before) scope.reported = true;
    return copy;
  }

  #readList(value: unknown, scope: OptionScope): unknown {
    if (!Array.isArray(value)) return this.#refuse(scope, `must be an array of objects; got ${kindOf(value)}`);
    return Array.from(value, (item: unknown, index) => this.#readObject(item, scope.enter(String(index), index, item)));
  }

  #readObject(value: unknown, scope: OptionScope): unknown {
    if (!isPlainObject(value)) {
      const forms = this.#option.orFlag ? "true, false or an object" : "an object";
      return this.#refuse(scope, `must be ${forms}; got ${kindOf(value)}`);
    }
    if (scope.depth > MAX_DEPTH) return this.#refuse(scope, `must not be nested more than ${MAX_DEPTH} levels deep`);
    const target = nestedClassOf(this.#owner, this.#name, value);
    if (target === undefined) {
      return this.#refuse(scope, `cannot be read: ${this.#owner.name}.${this.#name} needs @Type(() => ItsClass)`);
    }
    return readOptions(target, value, scope, this.#problems);
  }

  #refuse(scope: OptionScope, message: string): undefined {
    this.#problems.push({ path: scope.path, message });
    scope.reported = true;
    return undefined;
  }
}
