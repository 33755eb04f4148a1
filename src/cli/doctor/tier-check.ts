import type { Clock } from "../../contracts/clock.js";
import type { KvBlockView } from "../../contracts/kv-block-view.js";
import type { Logger } from "../../contracts/logger.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { SecondaryTierManager } from "../../contracts/secondary-tier-manager.js";
import { reasonOf } from "../../errors/factory-errors.js";
import type { SecondaryTierFactory } from "../../factory/secondary-tier-factory.js";
import { TierHandle } from "../../orchestrator/tier-handle.js";
import { BlockPattern } from "../block-pattern.js";
import { TierProbe } from "./tier-probe.js";
import { within } from "../../contracts/within.js";

/** What was found about one tier. */
export interface TierFindings {
  /** Position in `secondary_tiers`, from 0. */
  readonly index: number;
  readonly type: string;
  readonly ok: boolean;
  /** Seconds to store and to load one block; `null` when it did not come to that. */
  readonly writeS: number | null;
  readonly readS: number | null;
  /** Whether the block of the check is gone again; a tier that cannot remove single blocks keeps it. */
  readonly cleanedUp: boolean;
  /** What failed, and what to do; `null` when nothing did. */
  readonly problem: string | null;
}

export interface TierCheckDependencies {
  /** For this tier alone. */
  readonly factory: SecondaryTierFactory;
  /** Two slots: one to write from, one to read into. */
  readonly view: KvBlockView;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Seconds that each step may take. */
  readonly deadlineS: number;
}

const WRITTEN_SLOT = 0;
const READ_SLOT = 1;

/** Checks one tier by storing and loading a block of its own, which nobody else can have. */
export class TierCheck {
  readonly #deps: TierCheckDependencies;
  readonly #pattern: BlockPattern;
  readonly #key: OffloadKey;
  #writeS: number | null = null;
  #readS: number | null = null;
  #cleanedUp = true;

  /** @param key a key under which nothing was ever stored */
  constructor(deps: TierCheckDependencies, key: OffloadKey) {
    this.#deps = deps;
    this.#key = key;
    this.#pattern = new BlockPattern(deps.view.blockBytes);
  }

  async run(config: Readonly<Record<string, unknown>>, index: number): Promise<TierFindings> {
    const { factory, clock, deadlineS } = this.#deps;
    // The cause comes first: a tier that does not work often does not close either.
    const problems: string[] = [];
    const attempt = async (work: () => Promise<void>): Promise<void> => {
      await work().catch((error: unknown) => void problems.push(reasonOf(error)));
    };
    await attempt(() => this.#checkTier(config, index));
    // Closes a tier too that is still starting.
    await attempt(() => within(clock, deadlineS, "closing it did not end", factory.close()));
    return {
      index,
      type: String(config.type),
      ok: problems.length === 0,
      writeS: this.#writeS,
      readS: this.#readS,
      cleanedUp: this.#cleanedUp,
      problem: problems.length === 0 ? null : problems.join("; "),
    };
  }

  async #checkTier(config: Readonly<Record<string, unknown>>, index: number): Promise<void> {
    const { factory, clock, logger, deadlineS } = this.#deps;
    // The tier is made before the probe that it notifies.
    const running: { probe?: TierProbe } = {};
    const placement = { index, notify: () => running.probe?.notify() };
    const tier = await within(
      clock,
      deadlineS,
      "starting it did not end",
      factory.createSecondaryTier(config, placement),
    );
    const handle = new TierHandle(index, { type: String(config.type), tier, close: () => factory.close() }, logger);
    const probe = new TierProbe({ tier: handle, clock, deadlineS });
    running.probe = probe;
    try {
      await this.#roundTrip(probe);
    } finally {
      if (!this.#cleanedUp) this.#cleanedUp = await this.#cleanUp(tier, probe);
    }
  }

  async #roundTrip(probe: TierProbe): Promise<void> {
    const { view } = this.#deps;
    const written = view.block(WRITTEN_SLOT);
    const read = view.block(READ_SLOT);
    this.#pattern.fill(this.#key, written);
    // Different in every byte, so that a byte which is not written cannot look right.
    for (const [i, byte] of written.entries()) read[i] = ~byte;

    if (await probe.has(this.#key))
      throw new Error("it claims to hold a block that nobody stored: its look-up is wrong");
    this.#cleanedUp = false;
    this.#writeS = await probe.transfer("store", this.#key, WRITTEN_SLOT);
    if (this.#writeS === null) throw new Error("the store failed: see that there is room, and that it may be written");
    if (!(await probe.has(this.#key))) throw new Error("the block was stored, but is not found again");
    this.#readS = await probe.transfer("load", this.#key, READ_SLOT);
    if (this.#readS === null) throw new Error("the load failed: see that what is stored may be read, and is whole");
    this.#compare("came back wrong", read);
    this.#compare("was changed in the pool by the store", written);
  }

  #compare(what: string, block: Uint8Array): void {
    const byte = this.#pattern.firstWrongByte(this.#key, block);
    if (byte !== -1) throw new Error(`byte ${byte} of the block ${what}: do not use this tier`);
  }

  /** Removes this one block. Never clears the tier: all else that it holds is somebody's. */
  async #cleanUp(tier: SecondaryTierManager, probe: TierProbe): Promise<boolean> {
    if (tier.remove === undefined) return false;
    try {
      await within(this.#deps.clock, this.#deps.deadlineS, "removing the block did not end", tier.remove([this.#key]));
      return !(await probe.has(this.#key));
    } catch (error) {
      this.#deps.logger.warn("The block of the check could not be removed.", { error });
      return false;
    }
  }
}
