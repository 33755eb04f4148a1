import { describe, expect, it } from "@jest/globals";
import type { Container } from "inversify";
import { createTiering } from "../../../src/cache/create-tiering.js";
import type { StoreTicket } from "../../../src/cache/store-ticket.js";
import { reserveWithRoom } from "../../../src/cli/replay/slot-room.js";
import { traceKey } from "../../../src/cli/replay/trace-key.js";
import type { OffloadKey } from "../../../src/contracts/offload-key.js";
import { HeldTier } from "../../../src/testing/held-tier.js";
import { ManualClock } from "../../../src/testing/manual-clock.js";
import { tierToken } from "../../../src/tokens.js";
import { configOf } from "../../support/cli-run.js";

const keysOf = (...ids: number[]): OffloadKey[] => ids.map(traceKey);

interface Rig {
  readonly clock: ManualClock;
  readonly tier: HeldTier;
  readonly reserve: (keys: OffloadKey[], pinned: number) => { ticket: StoreTicket | null | undefined };
}

/** A pool of 4 blocks, all of them pinned by a cascade that does not end before the test says so. */
async function withFullPool(body: (rig: Rig) => Promise<void>): Promise<void> {
  const clock = new ManualClock();
  const held: HeldTier[] = [];
  const configure = (container: Container): void => {
    container.onActivation<HeldTier>(tierToken("held"), (_, tier) => {
      held.push(tier);
      return tier;
    });
  };
  const tiering = await createTiering(configOf(4, { type: "held" }), { clock, tiers: [HeldTier], configure });
  const [tier] = held;
  if (tier === undefined) throw new Error("No tier was made.");
  await tiering.cache.put(
    keysOf(1, 2, 3, 4),
    Array.from({ length: 4 }, () => new Uint8Array(1000)),
  );
  const reserve: Rig["reserve"] = (keys, pinned) => {
    const reserved: { ticket: StoreTicket | null | undefined } = { ticket: undefined };
    void reserveWithRoom(tiering, clock, keys, "r", pinned).then((ticket) => (reserved.ticket = ticket));
    return reserved;
  };
  try {
    await body({ clock, tier, reserve });
  } finally {
    tier.release();
    await tiering.close();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("reserveWithRoom", () => {
  it("waits while a transfer is under way that may free some", async () => {
    await withFullPool(async ({ clock, tier, reserve }) => {
      const reserved = reserve(keysOf(5, 6), 0);
      for (let i = 0; i < 5; i++) {
        clock.advance(0.005);
        await turn();
      }
      expect(reserved.ticket).toBeUndefined();
      tier.release();
      await turn();
      clock.advance(0.005);
      await turn();
      expect(reserved.ticket?.keys).toEqual(keysOf(5, 6));
      reserved.ticket?.abort();
    });
  });

  it("does not wait for ever", async () => {
    await withFullPool(async ({ clock, reserve }) => {
      const reserved = reserve(keysOf(5), 0);
      await turn();
      clock.advance(60);
      await turn();
      expect(reserved.ticket?.keys).toEqual([]);
      reserved.ticket?.abort();
    });
  });

  it("asks for no more than the pool can hold beside what the request has pinned", async () => {
    await withFullPool(async ({ tier, clock, reserve }) => {
      const reserved = reserve(keysOf(5, 6, 7, 8), 1);
      tier.release();
      await turn();
      clock.advance(0.005);
      await turn();
      expect(reserved.ticket?.keys).toEqual(keysOf(5, 6, 7));
      reserved.ticket?.abort();
    });
  });
});
