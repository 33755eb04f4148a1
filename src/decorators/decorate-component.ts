import { injectable } from "inversify";
import {
  DETECTOR_METADATA,
  POLICY_METADATA,
  TIER_METADATA,
  type AnyClass,
  type ComponentMetadata,
  type ConfigContract,
} from "../contracts/tier-metadata.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { assertInjected, inheritInjection } from "./inherit-injection.js";

/** Options that all three decorators share. */
export interface ComponentOptions {
  /**
   * How options are read: a class-validator class (camelCase fields, each decorated), or `"passthrough"` for the raw
   * keys as a frozen null-prototype object. Absent: no options, any key is an error.
   */
  readonly config?: ConfigContract;
}

/** The decorators by the key of the metadata that each leaves. */
const DECORATORS = new Map<symbol, string>([
  [TIER_METADATA, "@SecondaryTier"],
  [DETECTOR_METADATA, "@Detector"],
  [POLICY_METADATA, "@Policy"],
]);

/**
 * Makes `target` injectable, hands down the injected constructor arguments of its bases, and stores `metadata` on it.
 *
 * @throws KvTierError `INVALID_STATE` when the name is empty, `config` is no contract, the class is injectable already,
 *   or its constructor, or that of a base, has parameters that nobody injects.
 */
export function decorateComponent(decorator: string, key: symbol, target: AnyClass, metadata: ComponentMetadata): void {
  const { name, config } = metadata;
  if (typeof name !== "string" || name === "") {
    throw new KvTierError("INVALID_STATE", `${decorator} on ${target.name} needs a name: ${decorator}("my-name").`);
  }
  if (config !== null && config !== "passthrough" && typeof config !== "function") {
    throw new KvTierError(
      "INVALID_STATE",
      `${decorator}("${name}") on ${target.name}: 'config' must be a class, "passthrough", or left out.`,
    );
  }
  makeInjectable(decorator, target);
  inheritInjection(decorator, target);
  assertInjected(decorator, target);
  Object.defineProperty(target, key, { value: Object.freeze(metadata) });
}

function makeInjectable(decorator: string, target: AnyClass): void {
  const earlier = [...DECORATORS].find(([key]) => Object.hasOwn(target, key))?.[1];
  if (earlier !== undefined) {
    throw new KvTierError(
      "INVALID_STATE",
      `${target.name} carries ${earlier} already, so ${decorator} cannot be applied too: one class is one component.`,
    );
  }
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
