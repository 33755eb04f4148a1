import { injectable, injectFromBase } from "inversify";
import type { AnyClass, ComponentMetadata, ConfigContract } from "../contracts/tier-metadata.js";
import { KvTierError } from "../errors/kv-tier-error.js";

/** Options that all three decorators share. */
export interface ComponentOptions {
  /**
   * How options are read: a class-validator class (camelCase fields, each decorated), or `"passthrough"` for the raw
   * keys as a frozen null-prototype object. Absent: no options, any key is an error.
   */
  readonly config?: ConfigContract;
}

/**
 * Makes `target` injectable, hands down the injected constructor arguments of its bases, and stores `metadata` on it.
 *
 * @throws KvTierError `INVALID_STATE` when the name is empty or the class is already injectable.
 */
export function decorateComponent(decorator: string, key: symbol, target: AnyClass, metadata: ComponentMetadata): void {
  if (typeof metadata.name !== "string" || metadata.name === "") {
    throw new KvTierError("INVALID_STATE", `${decorator} on ${target.name} needs a name: ${decorator}("my-name").`);
  }
  makeInjectable(decorator, target);
  inheritInjection(decorator, target);
  Object.defineProperty(target, key, { value: Object.freeze(metadata) });
}

function makeInjectable(decorator: string, target: AnyClass): void {
  try {
    injectable()(target);
  } catch (cause) {
    throw new KvTierError(
      "INVALID_STATE",
      `${target.name} is already injectable: remove @injectable() from it, ${decorator} applies it.`,
      { cause },
    );
  }
}

/**
 * inversify gives a class without a constructor no arguments, even if its base asks for some, and says nothing. So the
 * bases' injected arguments are handed down link by link, the root first: a link with a constructor keeps its own.
 */
function inheritInjection(decorator: string, target: AnyClass): void {
  const base = baseOf(target);
  if (base === undefined) return;
  inheritInjection(decorator, base);
  try {
    injectFromBase({ extendConstructorArguments: true, extendProperties: true })(target);
  } catch (cause) {
    throw new KvTierError(
      "INVALID_STATE",
      `${decorator} on ${target.name}: the constructor of its base ${base.name} has parameters without @inject(token).`,
      { cause },
    );
  }
}

function baseOf(target: AnyClass): AnyClass | undefined {
  const base: unknown = Object.getPrototypeOf(target);
  return typeof base === "function" && base !== Function.prototype ? (base as AnyClass) : undefined;
}
