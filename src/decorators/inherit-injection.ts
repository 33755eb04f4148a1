import { injectFromBase } from "inversify";
import type { AnyClass, Class } from "../contracts/tier-metadata.js";
import { KvTierError } from "../errors/kv-tier-error.js";

/**
 * inversify gives a class without a constructor no arguments, even if its base asks for some, and says nothing. So what
 * the bases inject is handed down link by link, the root first.
 *
 * A constructor whose parameters are all injected stays as it is. Parameters without `@inject` get what the base's
 * parameter at that position gets, so that `constructor(context) { super(context); }` works as it reads.
 *
 * @throws KvTierError `INVALID_STATE` when the base's constructor has parameters that nobody injects.
 */
export function inheritInjection(decorator: string, target: AnyClass): void {
  const base = baseOf(target);
  if (base === undefined) return;
  inheritInjection(decorator, base);
  const extendConstructorArguments = !injectsOwnConstructor(target);
  try {
    injectFromBase({ extendConstructorArguments, extendProperties: true })(target);
  } catch (cause) {
    // What the base's constructor wants is the business of the constructor that calls it, if there is one.
    if (declaresConstructor(target)) return;
    throw new KvTierError(
      "INVALID_STATE",
      `${decorator} on ${target.name}: the constructor of its base ${base.name} has parameters without @inject(token). ` +
        `Inject them there, or give ${target.name} a constructor of its own that passes them to super().`,
      { cause },
    );
  }
}

/** @throws KvTierError `INVALID_STATE` when the constructor of `target` has parameters that nobody injects. */
export function assertInjected(decorator: string, target: AnyClass): void {
  const cause = missingInjection(target);
  if (cause === undefined) return;
  throw new KvTierError(
    "INVALID_STATE",
    `${decorator} on ${target.name}: its constructor has parameters without @inject(token).`,
    { cause },
  );
}

/** Whether `target` has a constructor with parameters, each of them injected. */
function injectsOwnConstructor(target: AnyClass): boolean {
  return target.length > 0 && missingInjection(target) === undefined;
}

/** inversify checks the class that it inherits from, and has no other way to ask. */
function missingInjection(target: AnyClass): unknown {
  try {
    injectFromBase()(class extends (target as Class<object>) {});
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Without a constructor a class has length 0, and so it has with one that takes no parameters. */
function declaresConstructor(target: AnyClass): boolean {
  return target.length > 0 || /(?:^|[\s;{}])constructor\s*\(/.test(Function.prototype.toString.call(target));
}

/** By the prototypes, as inversify finds it: `Object`, also that of another realm, is no base. */
function baseOf(target: AnyClass): AnyClass | undefined {
  const prototype: unknown = Object.getPrototypeOf(target.prototype);
  if (!isObject(prototype) || Object.getPrototypeOf(prototype) === null) return undefined;
  const base: unknown = Reflect.get(prototype, "constructor");
  return typeof base === "function" ? (base as AnyClass) : undefined;
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
