import { Medium } from "../../contracts/medium.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import { SecondaryTier } from "../../decorators/secondary-tier.js";
import { BlockStoreTier } from "../shared/block-store-tier.js";
import { ExampleConfig } from "./example-config.js";

/** Keeps blocks in a map of this process: the smallest correct tier, and the one to copy. */
@SecondaryTier("example", { config: ExampleConfig, medium: Medium.Cpu })
export class ExampleTier extends BlockStoreTier<ExampleConfig> {
  /** Least recently used first. */
  readonly #blocks = new Map<OffloadKey, Uint8Array>();

  override async initialize(): Promise<void> {
    this.context.logger.info("Example tier ready", { customParam: this.context.config.customParam });
  }

  async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return keys.map((key) => this.#blocks.has(key));
  }

  async write(key: OffloadKey, block: Uint8Array): Promise<void> {
    // `block` is a view of a slot that is ours only until this promise settles, so the bytes are copied. (Not by
    // `slice()`, which on a Buffer would be a view again.)
    this.#keep(key, new Uint8Array(block));
    if (this.#blocks.size > (this.context.config.capacityBlocks ?? Infinity)) this.#dropOldest();
  }

  async read(key: OffloadKey, into: Uint8Array): Promise<void> {
    const block = this.#blocks.get(key);
    if (block === undefined) throw new Error(`Block ${key} is not stored.`);
    into.set(block);
    this.#keep(key, block);
  }

  override async clear(): Promise<void> {
    this.#blocks.clear();
    this.forgetLookups();
  }

  override async remove(keys: readonly OffloadKey[]): Promise<void> {
    for (const key of keys) this.#blocks.delete(key);
    this.markMiss(keys);
  }

  /** Sets the block as the most recently used. */
  #keep(key: OffloadKey, block: Uint8Array): void {
    this.#blocks.delete(key);
    this.#blocks.set(key, block);
  }

  #dropOldest(): void {
    for (const oldest of this.#blocks.keys()) {
      this.#blocks.delete(oldest);
      return;
    }
  }
}
