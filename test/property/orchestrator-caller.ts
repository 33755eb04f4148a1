import { expect } from "@jest/globals";
import type { EvictionPolicyName } from "../../src/contracts/offloading-spec.js";
import type { OffloadKey } from "../../src/contracts/offload-key.js";
import { silentLogger } from "../../src/contracts/logger.js";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { TieringOffloadingManager } from "../../src/orchestrator/tiering-offloading-manager.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { PrimaryTier } from "../../src/primary/primary-tier.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { createTierContext } from "../../src/testing/create-tier-context.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { keyOf, request, settle, STEP_END } from "../unit/orchestrator/step-rig.js";
import { expectOwnBytes, FuzzTier, ownBytes } from "./orchestrator-fuzz.js";

export const KEYS = 10;
export const REQUESTS = 4;
const BLOCK_BYTES = 16;

interface Pinned {
  readonly reqId: string;
  readonly key: OffloadKey;
  readonly slot: number;
}

interface Ticket {
  readonly reqId: string;
  readonly keys: readonly OffloadKey[];
  readonly slots: Int32Array;
}

/** The caller's side: what it holds, and that every byte it may see is the right one. */
export class Caller {
  readonly clock = new ManualClock();
  readonly view: PrimaryKvView;
  readonly primary: PrimaryTier;
  readonly tiers: FuzzTier[];
  readonly manager: TieringOffloadingManager;
  readonly pinned: Pinned[] = [];
  readonly tickets: Ticket[] = [];

  constructor(numBlocks: number, evictionPolicy: EvictionPolicyName, pendingDeadlineS: number | undefined) {
    this.view = PrimaryKvView.allocate(numBlocks, BLOCK_BYTES);
    this.primary = new PrimaryTier({ numBlocks, evictionPolicy, recordEvents: true });
    const offloadingSpec = createTestSpec({ numBlocks, blockBytes: BLOCK_BYTES });
    const context = createTierContext({ primaryKvView: this.view, offloadingSpec, clock: this.clock });
    this.tiers = [new FuzzTier(context, false), new FuzzTier(context, true)];
    // Something to promote from the first step on.
    for (let n = 0; n < KEYS; n++) this.tiers[n % 3]?.content.set(keyOf(n), ownBytes(keyOf(n)));
    this.manager = new TieringOffloadingManager({
      primary: this.primary,
      tiers: this.tiers.map((tier) => ({ type: "fuzz", tier, close: () => tier.shutdown() })),
      blockBytes: BLOCK_BYTES,
      clock: this.clock,
      logger: silentLogger,
      ...(pendingDeadlineS !== undefined && { pendingDeadlineS }),
    });
  }

  look(reqId: string, key: OffloadKey, keep: boolean): void {
    if (this.sound(() => this.manager.lookup(key, request(reqId))) !== "hit") return;
    const [slot = -1] = this.manager.prepareLoad([key], request(reqId));
    this.expectOwn(key, slot);
    if (keep) this.pinned.push({ reqId, key, slot });
    else this.manager.completeLoad([key], request(reqId));
  }

  unpin(index: number): void {
    const [pinned] = this.pinned.splice(index % Math.max(1, this.pinned.length), 1);
    if (pinned === undefined) return;
    this.expectOwn(pinned.key, pinned.slot);
    this.manager.completeLoad([pinned.key], request(pinned.reqId));
  }

  prepare(reqId: string, keys: readonly OffloadKey[]): void {
    const plan = this.sound(() => this.manager.prepareStore(keys, request(reqId)));
    if (plan === undefined || plan === null || plan.keysToStore.length === 0) return;
    this.tickets.push({ reqId, keys: plan.keysToStore, slots: plan.blockIds });
    for (const slot of plan.blockIds) this.view.block(slot).fill(0xdd);
  }

  complete(index: number, success: boolean): void {
    const [ticket] = this.tickets.splice(index % Math.max(1, this.tickets.length), 1);
    if (ticket === undefined) return;
    if (success) ticket.keys.forEach((key, i) => this.view.block(ticket.slots[i] ?? -1).set(ownBytes(key)));
    this.manager.completeStore(ticket.keys, request(ticket.reqId), success);
  }

  step(): void {
    this.sound(() => this.manager.onScheduleEnd(STEP_END));
  }

  /** The one error that a tier's misbehaviour may cause. */
  sound<T>(call: () => T): T | undefined {
    try {
      return call();
    } catch (error) {
      if (!KvTierError.is(error, "INVALID_STATE")) throw error;
      expect(error.message).toContain("foreign key");
      this.manager.failMisreportedJobs();
      return undefined;
    }
  }

  expectOwn(key: OffloadKey, slot: number): void {
    expectOwnBytes(key, this.view.block(slot));
  }

  checkInvariants(): void {
    const { freeBlocks, residentBlocks, quarantinedBlocks, capacity } = this.primary;
    if (freeBlocks + residentBlocks + quarantinedBlocks !== capacity)
      throw new Error("A slot is lost or counted twice.");
    for (const { key, slot } of this.pinned) this.expectOwn(key, slot);
    for (let n = 0; n < KEYS; n++) {
      const slot = this.primary.slotOf(keyOf(n));
      if (slot !== undefined && (this.primary.refCount(keyOf(n)) ?? -1) >= 0) this.expectOwn(keyOf(n), slot);
    }
  }

  /** Every user lets go, every transfer ends, and nothing is left. */
  async windUp(): Promise<void> {
    while (this.pinned.length > 0) this.unpin(0);
    while (this.tickets.length > 0) this.complete(0, true);
    for (let i = 0; i < REQUESTS; i++) this.manager.onRequestFinished(request(`r${i}`));
    for (let round = 0; round < 4; round++) {
      for (const tier of this.tiers) while (tier.open.length > 0) tier.end(0, "success");
      for (const tier of this.tiers) for (const settleLate of tier.late.splice(0)) settleLate();
      await settle();
      this.checkInvariants();
      this.step();
    }
    expect(this.manager.hasPendingWork()).toBe(false);
    expect(this.manager.getStats().primary.busyBlocks).toBe(0);
    expect(this.primary.freeBlocks + this.primary.idleBlocks).toBe(this.primary.capacity);
    for (const tier of this.tiers) expect([...tier.live]).toEqual([]);
    for (const { activeCascades, activePromotions } of this.manager.getStats().tiers) {
      expect([activeCascades, activePromotions]).toEqual([0, 0]);
    }
  }
}
