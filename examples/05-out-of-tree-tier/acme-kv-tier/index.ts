import { deflateSync, inflateSync } from "node:zlib";
import { BlockStoreTier, Count, Medium, SecondaryTier, type OffloadKey } from "kvtier";

class AcmeConfig {
  /** zlib level, 0 to 9. */
  @Count({ min: 0, max: 9 })
  level = 1;
}

/** Keeps blocks compressed in memory. The export's name is the tier's `type`. */
@SecondaryTier("AcmeTier", { config: AcmeConfig, medium: Medium.Cpu })
export class AcmeTier extends BlockStoreTier<AcmeConfig> {
  readonly #blocks = new Map<OffloadKey, Buffer>();

  async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return keys.map((key) => this.#blocks.has(key));
  }

  async write(key: OffloadKey, block: Uint8Array): Promise<void> {
    this.#blocks.set(key, deflateSync(block, { level: this.context.config.level }));
  }

  async read(key: OffloadKey, into: Uint8Array): Promise<void> {
    const packed = this.#blocks.get(key);
    if (packed === undefined) throw new Error(`Block ${key} is not stored.`);
    into.set(inflateSync(packed));
  }
}
