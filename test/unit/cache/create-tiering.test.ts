import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { createTiering } from "../../../src/cache/create-tiering.js";
import { silentLogger } from "../../../src/contracts/logger.js";
import type { LookupResult } from "../../../src/contracts/lookup-result.js";
import { SecondaryTierManager, type DrainResult } from "../../../src/contracts/secondary-tier-manager.js";
import type { JobResult } from "../../../src/contracts/transfer-job.js";
import { SecondaryTier } from "../../../src/decorators/secondary-tier.js";
import type { SecondaryTierFactory } from "../../../src/factory/secondary-tier-factory.js";
import { PrimaryKvView } from "../../../src/primary/primary-kv-view.js";
import { rebindTier } from "../../../src/testing/rebind-tier.js";
import { tierToken, TOKENS } from "../../../src/tokens.js";
import { bytesOf, configOf, keysOf } from "./cache-rig.js";

const log: string[] = [];

@SecondaryTier("plain", { config: "passthrough" })
class PlainTier extends SecondaryTierManager<{ name?: string; fault?: string }> {
  override async initialize(): Promise<void> {
    log.push(`open ${this.name}`);
    if (this.context.config.fault === "initialize") throw new Error(`no ${this.name}`);
  }
  override lookup(): LookupResult {
    return "miss";
  }
  override submitStore(): void {}
  override submitLoad(): void {}
  override getFinishedJobs(): JobResult[] {
    return [];
  }
  override async drainJobs(): Promise<DrainResult> {
    return { unfinished: [] };
  }
  override async shutdown(): Promise<void> {
    log.push(`close ${this.name}`);
    if (this.context.config.fault === "shutdown") throw new Error(`stuck ${this.name}`);
  }
  get name(): string {
    return this.context.config.name ?? this.tierType;
  }
}

const options = { tiers: [PlainTier], logger: silentLogger };
const plain = (name: string, fault?: string): object => ({
  type: "plain",
  name,
  ...(fault !== undefined && { fault }),
});
const started = (): string[] => log.splice(0);

describe("createTiering", () => {
  it("makes the tiers in order, binds manager and cache, and closes the tiers newest first", async () => {
    started();
    const { container, manager, cache, factory, close } = await createTiering(
      configOf(4, [plain("a"), plain("b")]),
      options,
    );
    expect(container.get(TOKENS.tieringManager)).toBe(manager);
    expect(container.get(TOKENS.kvCache)).toBe(cache);
    expect(container.get(TOKENS.tierFactory)).toBe(factory);
    expect(container.get<PrimaryKvView>(TOKENS.primaryKvView)).toMatchObject({ numBlocks: 4, blockBytes: 16 });
    await Promise.all([close(), close()]);
    await close();
    expect(started()).toEqual(["open a", "open b", "close b", "close a"]);
  });

  it("closes through its scope", async () => {
    started();
    {
      await using tiering = await createTiering(configOf(4, [plain("a")]), options);
      expect(tiering.cache.stats().tiers[0]?.label).toBe("1:plain");
    }
    expect(started()).toEqual(["open a", "close a"]);
  });

  it("refuses every call after the close, but leases can be released", async () => {
    const { cache, manager, close } = await createTiering(configOf(4, []), options);
    await cache.put(keysOf(1), [bytesOf(1)]);
    const lease = await cache.acquire(keysOf(1));
    const ticket = cache.reserve(keysOf(2));
    await close();
    await expect(cache.acquire(keysOf(1))).rejects.toMatchObject({ code: "CLOSED" });
    await expect(cache.get(keysOf(1))).rejects.toMatchObject({ code: "CLOSED" });
    await expect(cache.put(keysOf(1), [bytesOf(1)])).rejects.toMatchObject({ code: "CLOSED" });
    expect(() => cache.reserve(keysOf(3))).toThrow(expect.objectContaining({ code: "CLOSED" }));
    expect(new Uint8Array(lease.blocks[0] ?? [])).toEqual(bytesOf(1));
    lease.release();
    ticket?.commit();
    await cache.flush();
    expect(manager.getStats().primary).toMatchObject({ busyBlocks: 0, residentBlocks: 1 });
  });

  it("rejects those who wait when it is closed, and nothing stays pinned", async () => {
    const { cache, close } = await createTiering(configOf(4, []), options);
    await cache.put(keysOf(1), [bytesOf(1)]);
    const ticket = cache.reserve(keysOf(2));
    const waiting = cache.acquire(keysOf(1, 2));
    const closing = close();
    await expect(waiting).rejects.toMatchObject({ code: "CLOSED" });
    await closing;
    ticket?.abort();
    expect(cache.stats().primary.busyBlocks).toBe(0);
  });

  it("reports every tier that failed to close, having tried all; a second close does not", async () => {
    started();
    const { close } = await createTiering(
      configOf(4, [plain("a"), plain("b", "shutdown"), plain("c", "shutdown")]),
      options,
    );
    await expect(close()).rejects.toMatchObject({
      code: "SHUTDOWN_FAILED",
      errors: [new Error("stuck c"), new Error("stuck b")],
    });
    await close();
    expect(started().slice(3)).toEqual(["close c", "close b", "close a"]);
  });

  it("closes the tiers it has made when a later one fails, and leaves the caller's container as it was", async () => {
    started();
    const container = new Container();
    container.bind("mine").toConstantValue(1);
    const configure = (into: Container): void => rebindTier(into, "example", PlainTier);
    const failing = configOf(4, [plain("a"), plain("b"), plain("c", "initialize")]);
    await expect(createTiering(failing, { ...options, container, configure })).rejects.toMatchObject({
      code: "TIER_INIT_FAILED",
      message: expect.stringMatching(/secondary_tiers\[2\].*no c/),
    });
    expect(started()).toEqual(["open a", "open b", "open c", "close c", "close b", "close a"]);
    for (const token of [...Object.values(TOKENS), tierToken("plain"), tierToken("example"), tierToken("fs")]) {
      expect([token, container.isBound(token)]).toEqual([token, false]);
    }
    expect(container.get("mine")).toBe(1);

    const { cache, close } = await createTiering(configOf(4, [plain("a")]), { ...options, container, configure });
    expect(await cache.put(keysOf(1), [bytesOf(1)])).toBe(1);
    await close();
  });

  it("leaves the container as it was when `configure` throws or the config is wrong", async () => {
    const container = new Container();
    const fault = new Error("not today");
    const configure = async (): Promise<void> => Promise.reject(fault);
    await expect(createTiering(configOf(4, []), { ...options, container, configure })).rejects.toBe(fault);
    await expect(createTiering(configOf(0, []), { ...options, container })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
    await (await createTiering(configOf(4, []), { ...options, container })).close();
  });

  it("is INVALID_STATE for a container that holds a module, which goes on working", async () => {
    const { cache, container, close } = await createTiering(configOf(4, []), options);
    await expect(createTiering(configOf(4, []), { ...options, container })).rejects.toMatchObject({
      code: "INVALID_STATE",
    });
    expect(container.get(TOKENS.kvCache)).toBe(cache);
    expect(await cache.put(keysOf(1), [bytesOf(1)])).toBe(1);
    await close();
  });

  it("uses the view it is given, whose blocks must have the configured size and number", async () => {
    const memory = new Uint8Array(16 * 4);
    const primaryKvView = PrimaryKvView.wrap(memory, 16);
    const { cache, close } = await createTiering(configOf(3, []), { ...options, primaryKvView });
    await cache.put(keysOf(1), [bytesOf(1)]);
    expect(memory.slice(0, 16)).toEqual(bytesOf(1));
    expect(cache.stats().primary.capacityBlocks).toBe(3);
    await close();
    const tooSmall = PrimaryKvView.allocate(2, 8);
    await expect(createTiering(configOf(3, []), { ...options, primaryKvView: tooSmall })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      problems: [
        { path: "block_bytes", message: expect.stringContaining("8") },
        { path: "cpu_bytes_to_use", message: expect.stringContaining("3 blocks") },
      ],
    });
  });

  it("lets `configure` rebind a tier and bind one by hand, before any tier is made", async () => {
    started();
    const configure = (container: Container): void => {
      rebindTier(container, "example", PlainTier);
      container.bind(tierToken("mine")).to(PlainTier);
    };
    const config = configOf(4, [{ type: "example" }, { type: "mine", name: "m" }]);
    await (await createTiering(config, { logger: silentLogger, configure })).close();
    expect(started()).toEqual(["open example", "open m", "close m", "close example"]);
  });

  it("lets `configure` register a tier", async () => {
    started();
    const configure = (container: Container): void =>
      container.get<SecondaryTierFactory>(TOKENS.tierFactory).registerTier("late", "late-tiers", "PlainTier");
    const config = configOf(4, [{ type: "late" }]);
    const importer = async (): Promise<unknown> => ({ PlainTier });
    await (await createTiering(config, { logger: silentLogger, importer, configure })).close();
    expect(started()).toEqual(["open late", "close late"]);
  });

  it("lets `configure` replace the pool's memory", async () => {
    const view = PrimaryKvView.allocate(4, 16);
    const configure = (container: Container): void => void container.rebind(TOKENS.primaryKvView).toConstantValue(view);
    const { cache, close } = await createTiering(configOf(4, []), { ...options, configure });
    await cache.put(keysOf(1), [bytesOf(1)]);
    expect(new Uint8Array(view.block(0))).toEqual(bytesOf(1));
    await close();
  });
});
