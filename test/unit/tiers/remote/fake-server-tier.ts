import type { OffloadKey } from "../../../../src/contracts/offload-key.js";
import type { TierContext } from "../../../../src/contracts/tier-context.js";
import { createTestSpec } from "../../../../src/testing/create-test-spec.js";
import { createTierContext } from "../../../../src/testing/create-tier-context.js";
import { ManualClock } from "../../../../src/testing/manual-clock.js";
import { RemoteBlockStoreTier } from "../../../../src/tiers/remote/remote-block-store-tier.js";
import { ABSENT, blockFault } from "../../../../src/tiers/shared/worker/block-fault.js";
import { recordingLogger, type LogLine } from "../../../support/recording-logger.js";

/** How a server behaves: answers, says no to everything, or says nothing. */
export type ServerState = "up" | "failing" | "frozen";

/** A tier on servers that a test switches on and off; blocks are in a map. */
export class FakeServerTier extends RemoteBlockStoreTier {
  state: ServerState = "up";
  /** Where the servers behave otherwise: by operation, or by the name of the server. */
  readonly states: Record<string, ServerState> = {};
  /** The server of a key. */
  nameOf: (key: OffloadKey) => string = () => "";
  /** Operations that reached the server. */
  operations = 0;
  readonly stored = new Map<OffloadKey, Uint8Array>();
  readonly discarded: OffloadKey[] = [];
  /** What loads fail with in place of an answer. */
  fault: Error | null = null;

  protected override async has(key: OffloadKey, signal: AbortSignal): Promise<boolean> {
    await this.#reach("lookup", key, signal);
    return this.stored.has(key);
  }

  protected override async put(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<boolean> {
    await this.#reach("store", key, signal);
    const isNew = !this.stored.has(key);
    this.stored.set(key, new Uint8Array(block));
    return isNew;
  }

  protected override async get(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void> {
    await this.#reach("load", key, signal);
    if (this.fault !== null) throw this.fault;
    const block = this.stored.get(key);
    if (block === undefined) throw blockFault(ABSENT, "No such block.");
    into.set(block);
  }

  protected override async discard(key: OffloadKey): Promise<void> {
    this.discarded.push(key);
  }

  protected override serverOf(key: OffloadKey): string {
    return this.nameOf(key);
  }

  /** As after a failover: these servers, and no others, have the blocks. */
  failOver(names: readonly string[]): void {
    this.retainServers(names);
  }

  async #reach(operation: string, key: OffloadKey, signal: AbortSignal): Promise<void> {
    this.operations++;
    const state = this.states[this.nameOf(key)] ?? this.states[operation] ?? this.state;
    if (state === "failing") throw new Error("503 Slow Down");
    if (state === "up") return;
    await new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    });
  }
}

export interface OpenServerTier {
  readonly tier: FakeServerTier;
  readonly clock: ManualClock;
  /** Lines of the log so far. */
  readonly lines: readonly LogLine[];
}

/** A tier that is initialized, with 64 slots of 16 bytes; slot n holds the byte n + 1. */
export async function openServerTier(overrides: Partial<TierContext> = {}): Promise<OpenServerTier> {
  const clock = new ManualClock(100);
  const { logger, lines } = recordingLogger();
  const offloadingSpec = createTestSpec({ blockBytes: 16 });
  const context = createTierContext({ clock, offloadingSpec, logger, ...overrides });
  for (let n = 0; n < 64; n++) context.primaryKvView.block(n).fill(n + 1);
  const tier = new FakeServerTier(context);
  await tier.initialize();
  return { tier, clock, lines };
}
