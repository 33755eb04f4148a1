import { expect } from "@jest/globals";
import type { StoreDetector } from "../../../src/contracts/backpressure.js";
import type { Logger } from "../../../src/contracts/logger.js";
import type { LookupResult } from "../../../src/contracts/lookup-result.js";
import type { RequestOffloading } from "../../../src/contracts/offload-policy.js";
import type { OffloadKey } from "../../../src/contracts/offload-key.js";
import { makeOffloadKey } from "../../../src/contracts/offload-key.js";
import type { OffloadingEvent } from "../../../src/contracts/offloading-event.js";
import type { RequestContext, ScheduleEndContext } from "../../../src/contracts/request-context.js";
import type { JobResult } from "../../../src/contracts/transfer-job.js";
import { TieringOffloadingManager } from "../../../src/orchestrator/tiering-offloading-manager.js";
import { PrimaryKvView } from "../../../src/primary/primary-kv-view.js";
import { PrimaryTier } from "../../../src/primary/primary-tier.js";
import { createTestSpec } from "../../../src/testing/create-test-spec.js";
import { createTierContext } from "../../../src/testing/create-tier-context.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";

const BLOCK_BYTES = 16;

export const keyOf = (n: number): OffloadKey => makeOffloadKey(n.toString(16).padStart(8, "0"));
export const keysOf = (...ns: number[]): OffloadKey[] => ns.map(keyOf);
export const request = (reqId = "r", more: Partial<RequestContext> = {}): RequestContext => ({ reqId, ...more });

export const STEP_END: ScheduleEndContext = { newReqIds: [], preemptedReqIds: [] };

/** The bytes that belong to block `n` and to no other. */
export function bytesOf(n: number): Uint8Array {
  return new Uint8Array(BLOCK_BYTES).map((_, i) => (n * 37 + i * 11 + (n >> 3)) & 0xff);
}

export interface LogLine {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>> | undefined;
}

/** A held tier that writes down what it is told, and whose answers a test may set. */
export class RecordingTier extends HeldTier {
  readonly calls: string[] = [];
  readonly touched: (readonly OffloadKey[])[] = [];
  policy: RequestOffloading["policy"] = "chunk_level";
  answer: LookupResult | undefined;
  detector: StoreDetector | null = null;
  events: OffloadingEvent[] = [];
  extraResults: JobResult[] = [];
  failOnSubmit: Error | undefined;
  lookups = 0;

  override get backpressureDetector(): StoreDetector | null {
    return this.detector;
  }
  override onNewRequest({ reqId }: RequestContext): RequestOffloading {
    this.calls.push(`new ${reqId}`);
    return { policy: this.policy };
  }
  override lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    this.lookups++;
    return this.answer ?? super.lookup(key, ctx);
  }
  override submitStore(job: Parameters<HeldTier["submitStore"]>[0]): void {
    this.calls.push(`store ${job.reqContext.reqId}`);
    if (this.failOnSubmit !== undefined) throw this.failOnSubmit;
    super.submitStore(job);
  }
  override submitLoad(job: Parameters<HeldTier["submitLoad"]>[0]): void {
    this.calls.push(`load ${job.reqContext.reqId}`);
    if (this.failOnSubmit !== undefined) throw this.failOnSubmit;
    super.submitLoad(job);
  }
  override getFinishedJobs(): JobResult[] {
    return [...super.getFinishedJobs(), ...this.extraResults.splice(0)];
  }
  override touch(keys: readonly OffloadKey[]): void {
    this.touched.push(keys);
  }
  override onRequestFinished({ reqId }: RequestContext): void {
    this.calls.push(`finished ${reqId}`);
  }
  override onScheduleEnd(_ctx: ScheduleEndContext): void {
    this.calls.push("step");
  }
  override takeEvents(): OffloadingEvent[] {
    return this.events.splice(0);
  }
  override async shutdown(): Promise<void> {
    this.calls.push("shutdown");
    await super.shutdown();
  }

  /** Calls that name a request, without steps. */
  get requestCalls(): string[] {
    return this.calls.filter((call) => call !== "step");
  }
  get loads(): OffloadKey[][] {
    return this.submitted.filter(({ isLoad }) => isLoad).map(({ job }) => [...job.keys]);
  }
  get stores(): OffloadKey[][] {
    return this.submitted.filter(({ isLoad }) => !isLoad).map(({ job }) => [...job.keys]);
  }
}

export interface RigOptions {
  readonly blocks?: number;
  readonly tiers?: number;
  readonly pendingDeadlineS?: number;
  readonly recordEvents?: boolean;
  readonly close?: (index: number) => Promise<void>;
}

/** A manager over recording tiers, and a caller that checks every byte it reads. */
export class StepRig {
  readonly clock = new ManualClock();
  readonly log: LogLine[] = [];
  readonly view: PrimaryKvView;
  readonly primary: PrimaryTier;
  readonly tiers: RecordingTier[];
  readonly manager: TieringOffloadingManager;

  constructor({ blocks = 8, tiers = 1, pendingDeadlineS, recordEvents = false, close }: RigOptions = {}) {
    this.view = PrimaryKvView.allocate(blocks, BLOCK_BYTES);
    this.primary = new PrimaryTier({ numBlocks: blocks, evictionPolicy: "lru", recordEvents });
    const offloadingSpec = createTestSpec({ numBlocks: blocks, blockBytes: BLOCK_BYTES });
    this.tiers = Array.from(
      { length: tiers },
      () => new RecordingTier(createTierContext({ primaryKvView: this.view, offloadingSpec, clock: this.clock })),
    );
    const write =
      (level: keyof Logger) =>
      (message: string, fields?: Readonly<Record<string, unknown>>): void =>
        void this.log.push({ level, message, fields });
    this.manager = new TieringOffloadingManager({
      primary: this.primary,
      tiers: this.tiers.map((tier, index) => ({
        type: "held",
        tier: tier,
        close: () => close?.(index) ?? tier.shutdown(),
      })),
      blockBytes: BLOCK_BYTES,
      clock: this.clock,
      logger: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
      ...(pendingDeadlineS !== undefined && { pendingDeadlineS }),
    });
  }

  get tier(): RecordingTier {
    const [tier] = this.tiers;
    if (tier === undefined) throw new Error("This rig has no tier.");
    return tier;
  }

  step(): void {
    this.manager.onScheduleEnd(STEP_END);
  }

  /** Ends every job that is out, and takes the results in. */
  releaseAll(): void {
    for (const tier of this.tiers) tier.release();
    this.step();
  }

  /** Writes the blocks into their slots; `false` when there is no room. */
  prepare(reqId: string, ...ns: number[]): boolean {
    const plan = this.manager.prepareStore(keysOf(...ns), request(reqId));
    if (plan === null) return false;
    const nOf = new Map(ns.map((n) => [keyOf(n), n]));
    plan.keysToStore.forEach((key, i) =>
      this.view.block(plan.blockIds[i] ?? -1).set(bytesOf(nOf.get(key) ?? raise(`No block for ${key}.`))),
    );
    return true;
  }

  complete(reqId: string, ...ns: number[]): void {
    this.manager.completeStore(keysOf(...ns), request(reqId));
  }

  store(reqId: string, ...ns: number[]): boolean {
    if (!this.prepare(reqId, ...ns)) return false;
    this.complete(reqId, ...ns);
    return true;
  }

  /** Puts the blocks into the tiers and leaves the pool empty. */
  async seed(...ns: number[]): Promise<void> {
    for (const n of ns) {
      expect(this.store("seed", n)).toBe(true);
      this.releaseAll();
    }
    this.finish("seed");
    await this.manager.resetCache();
    for (const tier of this.tiers) {
      tier.calls.length = 0;
      tier.submitted.length = 0;
    }
  }

  look(n: number, reqId = "r"): LookupResult {
    return this.manager.lookup(keyOf(n), request(reqId));
  }

  lookAll(reqId: string, ...ns: number[]): LookupResult[] {
    return ns.map((n) => this.look(n, reqId));
  }

  pin(reqId: string, ...ns: number[]): void {
    const slots = this.manager.prepareLoad(keysOf(...ns), request(reqId));
    ns.forEach((n, i) => expect(new Uint8Array(this.view.block(slots[i] ?? -1))).toEqual(bytesOf(n)));
  }

  unpin(reqId: string, ...ns: number[]): void {
    this.manager.completeLoad(keysOf(...ns), request(reqId));
  }

  read(reqId: string, ...ns: number[]): void {
    this.pin(reqId, ...ns);
    this.unpin(reqId, ...ns);
  }

  finish(reqId: string): void {
    this.manager.onRequestFinished(request(reqId));
  }

  /** Nothing is out and nothing is in use. */
  expectQuiet(): void {
    const { residentBlocks, busyBlocks } = this.manager.getStats().primary;
    expect({ pending: this.manager.hasPendingWork(), busyBlocks }).toEqual({ pending: false, busyBlocks: 0 });
    expect(this.primary.freeBlocks + residentBlocks).toBe(this.primary.capacity);
  }
}

export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function raise(message: string): never {
  throw new Error(message);
}
