import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createTiering } from "../../src/cache/create-tiering.js";
import type { Logger } from "../../src/contracts/logger.js";
import { SecondaryTier } from "../../src/decorators/secondary-tier.js";
import { BlockStoreTier } from "../../src/tiers/shared/block-store-tier.js";
import { bytesOf, configOf, keysOf } from "../unit/cache/cache-rig.js";

/** Everything fails, so that everything is logged. */
@SecondaryTier("broken", { config: "passthrough" })
class BrokenTier extends BlockStoreTier {
  protected override async exists(): Promise<boolean[]> {
    throw new Error("no look-up");
  }
  protected override async write(): Promise<void> {
    throw new Error("no write");
  }
  protected override async read(): Promise<void> {
    throw new Error("no read");
  }
  override onScheduleEnd(ctx: Parameters<BlockStoreTier["onScheduleEnd"]>[0]): void {
    super.onScheduleEnd(ctx);
    throw new Error("no step");
  }
}

const calls = new Set<string>();
function refuse(message: string): never {
  calls.add(message.replace(/^.*: /, ""));
  throw new Error("The log is full.");
}
const logger: Logger = { debug: refuse, info: refuse, warn: refuse, error: refuse };

describe("A logger that throws", () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => void process.on("unhandledRejection", onUnhandled));
  afterEach(() => void process.off("unhandledRejection", onUnhandled));

  it("costs its own lines and nothing else: results arrive, look-ups end, and everything closes", async () => {
    const { cache, manager, close } = await createTiering(configOf(4, [{ type: "broken" }]), {
      tiers: [BrokenTier],
      logger,
    });
    const keys = keysOf(1, 2);
    await cache.put(keys, [bytesOf(1), bytesOf(2)]);
    await cache.flush();
    expect(manager.hasPendingWork()).toBe(false);

    const lease = await cache.acquire(keysOf(3));
    expect(lease.hits).toBe(0);
    lease.release();
    await close();
    expect(unhandled).toEqual([]);
    expect([...calls]).toEqual(
      expect.arrayContaining([
        "A store failed",
        "A look-up failed and counts as a miss",
        "onScheduleEnd threw, against its contract.",
      ]),
    );
  });
});
