import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { makeOffloadKey, type OffloadKey } from "../../src/contracts/offload-key.js";
import { createTestTiering, type TestTiering } from "../../src/testing/create-test-tiering.js";
import type { FaultyDisk } from "../../src/testing/faulty-disk.js";
import { patternOf } from "./block-pattern.js";
import { DISK_TIERS, type DiskTierType } from "./disk-tiers.js";
import { openFilesBelow } from "./temp-folder.js";
import { recordingLogger, type LogLine } from "./recording-logger.js";

/** Blocks of whole pages, so that direct I/O is in play where the file system has it. */
export const BLOCK_BYTES = 4096;
const POOL_BLOCKS = 8;
/** Turns of the event loop after which something hangs: disks are worked on by threads, in real time. */
const MAX_TURNS = 1_000_000;
/** Threads keep real time, so a clock that runs faster finds more of them late. */
const SECONDS_PER_TURN = 0.01;
/** A tier that shares its disk with others looks at it once in so many seconds, and a little later sees the result. */
const RECOVERY_S = 65;

export interface DiskRigOptions {
  readonly type: DiskTierType;
  readonly root: string;
  /** What is under the tier's threads; absent: the real disk. */
  readonly disk?: FaultyDisk;
  /** Bound of the tier; absent: room for 16 blocks and a little more; `null`: no bound. */
  readonly maxBytes?: number | null;
  /** Bytes of a block. */
  readonly blockBytes?: number;
}

/** The key of block `n`. Neighbours lie far from each other, wherever a tier goes by the first digits. */
export const keyOf = (n: number): OffloadKey =>
  makeOffloadKey((n & 255).toString(16).padStart(2, "0") + n.toString(16).padStart(62, "0"));

/**
 * A cache with a small pool over one tier on a disk, for tests that ask what is stored there. Needs no test runner, so that
 * processes which a test starts have it too.
 */
export class DiskRig {
  readonly tiering: TestTiering;
  readonly lines: readonly LogLine[];
  readonly #root: string;
  readonly #blockBytes: number;

  private constructor(tiering: TestTiering, lines: readonly LogLine[], root: string, blockBytes: number) {
    this.tiering = tiering;
    this.lines = lines;
    this.#root = root;
    this.#blockBytes = blockBytes;
  }

  static async open({ type, root, disk, maxBytes, blockBytes = BLOCK_BYTES }: DiskRigOptions): Promise<DiskRig> {
    const { logger, lines } = recordingLogger();
    const config = {
      cpu_bytes_to_use: POOL_BLOCKS * blockBytes,
      block_bytes: blockBytes,
      model: { name: "test-model", dtype: "float16", tokens_per_block: 16 },
      secondary_tiers: [{ type, root_dir: root, ...DISK_TIERS[type](blockBytes, maxBytes) }],
    };
    const tiering = await createTestTiering(config, {
      logger,
      ...(disk !== undefined && { configure: (container) => disk.attach(container, type) }),
    });
    return new DiskRig(tiering, lines, root, blockBytes);
  }

  /** The bytes of block `n`. */
  bytesOf(n: number): Uint8Array {
    return patternOf(n, this.#blockBytes);
  }

  /** Stores the blocks in the tier, as far as it takes them, and empties the pool. */
  async store(ns: readonly number[]): Promise<void> {
    for (let i = 0; i < ns.length; i += POOL_BLOCKS) {
      const some = ns.slice(i, i + POOL_BLOCKS);
      await this.tiering.cache.put(
        some.map(keyOf),
        some.map((n) => this.bytesOf(n)),
      );
      await this.tiering.cache.flush();
      await this.tiering.manager.resetCache({ deadlineS: 0 });
    }
  }

  /** Which of the blocks the tier gives back. A wrong byte fails the test. */
  async held(ns: readonly number[]): Promise<number[]> {
    const held: number[] = [];
    for (let i = 0; i < ns.length; i += POOL_BLOCKS) {
      const some = ns.slice(i, i + POOL_BLOCKS);
      const found = await Promise.all(some.map((n) => this.tiering.cache.get([keyOf(n)])));
      for (const [j, n] of some.entries()) {
        const [block] = found[j] ?? [];
        if (block === undefined) continue;
        expectOwnBytes(block, this.bytesOf(n));
        held.push(n);
      }
    }
    await this.tiering.manager.resetCache({ deadlineS: 0 });
    return held;
  }

  /** Stores the blocks, and expects to have them back. */
  async expectStores(ns: readonly number[]): Promise<void> {
    await this.store(ns);
    assert.deepEqual(await this.held(ns), ns);
  }

  /**
   * Expects the tier to store these blocks, now that its disk is well: at once, or when it has looked at the disk again, as
   * it does from time to time.
   */
  async expectRecovery(ns: readonly number[]): Promise<void> {
    for (let s = 0; s < RECOVERY_S; s++) {
      await this.store(ns);
      if ((await this.held(ns)).length === ns.length) return;
      this.tiering.clock.advance(1);
    }
    await this.expectStores(ns);
  }

  /**
   * Waits for `work`, and moves the clock on while it is under way: deadlines pass.
   *
   * @param isLate whether time passes at the moment
   */
  async inTime<T>(work: Promise<T>, isLate = (): boolean => true): Promise<T> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    for (let i = 0; i < MAX_TURNS && !isDone; i++) {
      await nextTurn();
      if (isLate()) this.tiering.clock.advance(SECONDS_PER_TURN);
    }
    assert(isDone, `Nothing has come of it after ${MAX_TURNS} turns of the event loop.`);
    return done;
  }

  /**
   * Expects that no slot is pinned any more, no job under way, and the tier ready to work. Late I/O of calls that were
   * given up ends in real time, and is waited for.
   */
  async expectQuiet(): Promise<void> {
    await this.tiering.cache.flush();
    const work = (): Record<string, number | undefined> => {
      const { primary, tiers } = this.tiering.cache.stats();
      const { activeCascades, activePromotions, figures } = tiers[0] ?? {};
      const { running, queuedStores, queuedLoads, stalled } = figures ?? {};
      const pinned = primary.busyBlocks;
      return { pinned, activeCascades, activePromotions, running, queuedStores, queuedLoads, stalled };
    };
    const isQuiet = (): boolean => Object.values(work()).every((count) => count === 0);
    for (let i = 0; i < MAX_TURNS && !isQuiet(); i++) await nextTurn();
    assert(isQuiet(), `Not quiet: ${JSON.stringify(work())}`);
  }

  /** Files below the root that this process, threads included, has open. Only where the system tells, as on Linux. */
  openFiles(): Promise<string[]> {
    return openFilesBelow(this.#root);
  }

  /** Lines that people see. */
  get visibleLines(): LogLine[] {
    return this.lines.filter(({ level }) => level !== "debug");
  }

  close(): Promise<void> {
    return this.tiering.close();
  }
}

/** Compares at the speed of memory, and shows what differs only when something does. */
export function expectOwnBytes(block: Uint8Array, own: Uint8Array): void {
  if (Buffer.compare(block, own) !== 0) assert.deepEqual(block, own);
}

/** Runs `body`, and fails the test when a promise was rejected meanwhile that nobody looked at. */
export async function withoutStrayRejections(body: () => Promise<void>): Promise<void> {
  const stray: unknown[] = [];
  const note = (reason: unknown): void => void stray.push(reason);
  process.on("unhandledRejection", note);
  try {
    await body();
    await nextTurn();
  } finally {
    process.off("unhandledRejection", note);
  }
  assert.deepEqual(stray, []);
}
