import { readdir, readFile, readlink } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import type { KvBlockView } from "../../src/contracts/kv-block-view.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { TierRig } from "../../src/testing/conformance/tier-rig.js";
import { FaultyDisk } from "../../src/testing/faulty-disk.js";
import type { FsTierConfig } from "../../src/tiers/fs/fs-tier-config.js";
import { blockPathOf } from "../support/fs-blocks.js";
import { makeFsTier } from "../support/make-fs-tier.js";
import { recordingLogger, type LogLine } from "../support/recording-logger.js";
import { filesBelow } from "../support/temp-folder.js";

const BLOCK_BYTES = 4096;
const SLOTS = 16;

interface Parts {
  readonly rig: TierRig;
  readonly disk: FaultyDisk;
  readonly view: KvBlockView;
  readonly warnings: () => readonly LogLine[];
}

/** A tier with blocks of one page, in memory that starts at a page, or past one. */
async function withPages(
  config: Partial<FsTierConfig>,
  body: (parts: Parts) => Promise<void>,
  view: KvBlockView = PrimaryKvView.allocate(SLOTS, BLOCK_BYTES),
): Promise<void> {
  const disk = new FaultyDisk();
  const { logger, lines } = recordingLogger();
  const warnings = (): readonly LogLine[] => lines.filter(({ level }) => level === "warn");
  await TierRig.use(
    (env) =>
      makeFsTier(env.folder, {
        context: {
          ...env,
          logger,
          primaryKvView: view,
          offloadingSpec: { ...env.offloadingSpec, blockBytes: BLOCK_BYTES },
        },
        config,
        disk,
      }),
    async (rig) => {
      try {
        await body({ rig, disk, view, warnings });
      } finally {
        disk.close();
      }
    },
  );
}

const bytesOf = (n: number): Uint8Array => Uint8Array.from({ length: BLOCK_BYTES }, (_, i) => n * 7 + i * 13);

/** Stores block `n` from one slot and loads it into another: the bytes must be the same. */
async function roundTrip({ rig, view }: Parts, n: number): Promise<void> {
  view.block(0).set(bytesOf(n));
  expect((await rig.store([n], [0])).success).toBe(true);
  view.block(1).fill(0);
  expect((await rig.load([n], [1])).success).toBe(true);
  expect(Buffer.compare(view.block(1), bytesOf(n))).toBe(0);
}

async function expectNothingLeft({ rig }: Parts): Promise<void> {
  expect((await filesBelow(rig.env.folder)).filter((file) => file.endsWith(".tmp"))).toEqual([]);
  const fds = await readdir("/proc/self/fd");
  const targets = await Promise.all(fds.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")));
  expect(targets.filter((target) => target.startsWith(rig.env.folder))).toEqual([]);
}

describe("S3: what direct I/O cannot do goes through the page cache", () => {
  it.each(["open", "write", "read"] as const)(
    "stores and loads on a file system that refuses it (%s): one warning for a hundred jobs, nothing left open",
    (call) =>
      withPages({ directIo: "on" }, async (parts) => {
        parts.disk.set(call, { error: "EINVAL", directOnly: true });
        for (let n = 0; n < 50; n++) await roundTrip(parts, n);
        expect(parts.warnings().map(({ message }) => message)).toEqual([
          "Direct I/O was refused: blocks go through the page cache",
        ]);
        await expectNothingLeft(parts);
      }),
  );

  it("asks for it no more once it was refused", () =>
    withPages({ directIo: "on", nReadThreads: 1, nWriteThreads: 1 }, async (parts) => {
      parts.disk.set("write", { error: "EINVAL", directOnly: true });
      await roundTrip(parts, 1);
      const { injected } = parts.disk;
      for (let n = 2; n < 20; n++) await roundTrip(parts, n);
      expect(parts.disk.injected).toBe(injected);
    }));

  it("stores from memory that does not start at a page", () => {
    const shared = new SharedArrayBuffer(SLOTS * BLOCK_BYTES + 8);
    return withPages(
      { directIo: "on" },
      async (parts) => {
        for (let n = 0; n < 5; n++) await roundTrip(parts, n);
        expect(parts.warnings().length).toBeLessThanOrEqual(1);
        await expectNothingLeft(parts);
      },
      PrimaryKvView.wrap(new Uint8Array(shared, 8), BLOCK_BYTES),
    );
  });

  it("takes other errors of a direct call for what they are", () =>
    withPages({ directIo: "on" }, async (parts) => {
      parts.disk.set("write", { error: "EIO", directOnly: true });
      const view = parts.view.block(0);
      view.set(bytesOf(1));
      const result = await parts.rig.store([1], [0]);
      // Where the file system itself refused direct I/O at the opening, the store went through the page cache.
      if (parts.disk.injected > 0) expect(result.success).toBe(false);
      await expectNothingLeft(parts);
    }));

  it("reads with it what was written without, and the other way round", () =>
    withPages({ directIo: "on" }, async (direct) => {
      direct.view.block(0).set(bytesOf(1));
      await direct.rig.store([1], [0]);
      const { env } = direct.rig;
      const offloadingSpec = { ...env.offloadingSpec, blockBytes: BLOCK_BYTES };
      const context = { ...env, primaryKvView: direct.view, offloadingSpec };
      const whole = await readFile(blockPathOf({ ...env, offloadingSpec }, 1));
      expect([BLOCK_BYTES + 32, 2 * BLOCK_BYTES]).toContain(whole.length);
      await TierRig.use(
        () => makeFsTier(env.folder, { context, config: { directIo: "off" } }),
        async (buffered) => {
          expect((await buffered.load([1], [2])).success).toBe(true);
          direct.view.block(0).set(bytesOf(2));
          expect((await buffered.store([2], [0])).success).toBe(true);
        },
      );
      expect(Buffer.compare(direct.view.block(2), bytesOf(1))).toBe(0);
      expect((await direct.rig.load([2], [3])).success).toBe(true);
      expect(Buffer.compare(direct.view.block(3), bytesOf(2))).toBe(0);
    }));

  it("reads again through the page cache when a direct call comes short, and takes nothing for damage", () =>
    withPages({ directIo: "on" }, async (parts) => {
      const { rig, disk } = parts;
      await roundTrip(parts, 1);
      disk.set("read", { maxBytes: BLOCK_BYTES / 2 });
      await roundTrip(parts, 2);
      expect(rig.tier.getStats()).toMatchObject({ checksumFailures: 0 });
    }));

  it("says that it does nothing for blocks that are no multiple of a page", async () => {
    const { logger, lines } = recordingLogger();
    await TierRig.use(
      (env) => makeFsTier(env.folder, { context: { ...env, logger }, config: { directIo: "on" } }),
      async (rig) => {
        expect((await rig.store([1])).success).toBe(true);
        expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
      },
    );
  });
});
