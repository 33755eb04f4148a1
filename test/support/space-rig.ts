import * as fs from "node:fs";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import type { KeeperTask, KeeperThread } from "../../src/tiers/fs/keeper-tasks.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { Keeper } from "../../src/tiers/fs/space/keeper.js";
import { Ledger, type SpaceLimits } from "../../src/tiers/fs/space/ledger.js";
import { Space } from "../../src/tiers/fs/space/space.js";
import { Keeper as KeeperWorks } from "../../src/tiers/fs/worker/keeper.js";

export interface SpaceRigOptions extends SpaceLimits {
  readonly fileBytes: number;
  readonly io?: Partial<typeof fs>;
}

/** File of block `n`. */
export const fileOf = (n: number): string =>
  blockFileOf(makeOffloadKey((n & 255).toString(16).padStart(2, "0") + n.toString(16).padStart(6, "0"))) ?? "";

let tiers = 0;

/**
 * The books of a tier, over real files, with the keeper in this very thread: every step is one turn of the event loop.
 * What a tier's movers would do is done by the test.
 */
export class SpaceRig {
  readonly clock = new ManualClock();
  readonly gone: string[] = [];
  readonly faults: string[] = [];
  readonly ledger: Ledger;
  readonly keeper: Keeper;
  readonly space: Space;
  readonly folder: string;
  /** What the names of its temporary files begin with. */
  readonly writerId = `${process.pid}-${(++tiers).toString(16).padStart(12, "0")}`;
  readonly #fileBytes: number;

  private constructor(root: string, { maxBytes, lowWater, fileBytes, io = {} }: SpaceRigOptions) {
    const namespace = fsNamespace(createTestSpec().model, fileBytes);
    const works = new KeeperWorks(
      {
        ioModule: "",
        blockBytes: fileBytes,
        buffers: [],
        rootDir: root,
        namespace,
        writerId: this.writerId,
        host: "here",
        tempMaxAgeS: 3600,
        isCounting: true,
      },
      { ...fs, ...io },
    );
    const run = async (task: KeeperTask): Promise<unknown> => {
      await new Promise((resolve) => setImmediate(resolve));
      try {
        return { value: works.run(task) };
      } catch (error) {
        const { message, code } = error as NodeJS.ErrnoException;
        return { failure: { message, code } };
      }
    };
    this.folder = join(root, namespace.blocks);
    this.#fileBytes = fileBytes;
    this.ledger = new Ledger({ maxBytes, lowWater });
    this.keeper = new Keeper({
      thread: { run } as unknown as KeeperThread,
      clock: this.clock,
      onStatus: (status, told) => this.ledger.confirm(status, told),
    });
    this.space = new Space({
      keeper: this.keeper,
      ledger: this.ledger,
      clock: this.clock,
      fileBytes,
      onGone: (files) => void this.gone.push(...files),
      onFault: (message) => void this.faults.push(message),
    });
  }

  static async open(root: string, options: SpaceRigOptions): Promise<SpaceRig> {
    const rig = new SpaceRig(root, options);
    await rig.keeper.run({ op: "open" });
    await rig.space.open();
    return rig;
  }

  path(n: number): string {
    return join(this.folder, fileOf(n));
  }

  has(n: number): boolean {
    return statSync(this.path(n), { throwIfNoEntry: false }) !== undefined;
  }

  /** Stores blocks, as far as they are let in. Returns how many were. `meanwhile` runs while they are being written. */
  async store(ns: readonly number[], meanwhile: () => Promise<void> = async () => {}): Promise<number> {
    const files = ns.map(fileOf);
    const { count, end } = await this.space.admit(files, new AbortController().signal);
    const sizes = files.slice(0, count).map((file, i) => {
      const path = join(this.folder, file);
      if (this.has(ns[i] ?? 0)) return 0;
      fs.mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, Buffer.alloc(this.#fileBytes));
      return this.#fileBytes;
    });
    await meanwhile();
    end(sizes, false);
    return count;
  }

  /** Loads a block. Returns whether it was there. */
  async load(n: number, meanwhile: () => Promise<void> = async () => {}): Promise<boolean> {
    const files = [fileOf(n)];
    const isDoomed = this.space.beginLoad(files).size > 0;
    await meanwhile();
    const isRead = !isDoomed && this.has(n) && readFileSync(this.path(n)).length === this.#fileBytes;
    this.space.endLoad(files, [isDoomed ? null : isRead]);
    return isRead;
  }

  removeFromOutside(n: number): void {
    rmSync(this.path(n), { force: true });
  }

  /** Sum of the sizes of what is there. */
  bytesOnDisk(root: string): number {
    const names = fs.readdirSync(root, { recursive: true, withFileTypes: true });
    return names
      .filter((entry) => entry.isFile() && entry.name.endsWith(".bin"))
      .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
  }
}
