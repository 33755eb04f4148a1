import { setTimeout as sleep } from "node:timers/promises";
import { seeded } from "../support/known-blocks.js";
import { CrashProcess } from "./crash-process.js";
import { countForeignFiles, diskContents, plantForeignFiles, type DiskContents } from "../support/disk-contents.js";
import type { Figures, LoadPlan } from "./messages.js";

export interface SeriesOptions {
  readonly name: string;
  readonly plan: Omit<LoadPlan, "root" | "seed">;
  readonly maxBytes: number;
  readonly rounds: number;
  readonly seed: number;
}

export interface SeriesResult {
  readonly faults: readonly string[];
  readonly killed: number;
  /** Blocks that were found after the kills and compared, all rounds together. */
  readonly verified: number;
  /** Rounds that found the tier full enough to make room. */
  readonly full: number;
}

/** Share of the rounds in which a process is killed while it still starts or verifies, and of those in which it rests. */
const [EARLY, RESTING] = [0.15, 0.15];
const [EARLY_MS, LATE_MS] = [400, 250];
/** A tier has this long to finish what it does in the background after its start, before it is judged. */
const SETTLE_MS = 3000;
/** After this long, what a killed owner of a folder left there is nobody's. */
const OWNER_STALE_MS = 10_000;
/** Of a few namespaces. */
const MAX_SMALL_FILES = 12;

/** Kills processes that store in one folder, one after the other, and looks at what each leaves. */
export class CrashSeries {
  readonly #options: SeriesOptions;
  readonly #plan: LoadPlan;
  readonly #random: () => number;
  /** The other process in the folder, which loads and stores all the time. */
  #neighbour: CrashProcess | null = null;
  readonly #faults: string[] = [];
  #foreign = 0;
  /** Blocks that the last process had stored when it was killed, and that nothing has pushed out since. */
  #kept: readonly number[] = [];
  #killed = 0;
  #verified = 0;
  #full = 0;

  constructor(root: string, options: SeriesOptions) {
    this.#options = options;
    this.#plan = { ...options.plan, root, seed: options.seed };
    this.#random = seeded(options.seed);
  }

  async run(): Promise<SeriesResult> {
    const { rounds } = this.#options;
    if (this.#plan.isShared) this.#neighbour = await this.#startNeighbour();
    for (let round = 0; round < rounds; round++) {
      await this.#round(round).catch((error: unknown) => this.#note(round, String(error)));
      if (round === 0) this.#foreign = await plantForeignFiles(this.#plan.root);
    }
    await this.#endNeighbour();
    await this.#end().catch((error: unknown) => this.#note(rounds, String(error)));
    return { faults: this.#faults, killed: this.#killed, verified: this.#verified, full: this.#full };
  }

  async #startNeighbour(): Promise<CrashProcess> {
    const neighbour = new CrashProcess("store-under-load.js", { ...this.#plan, seed: this.#plan.seed + 500_000 });
    await neighbour.next("verified");
    neighbour.send("load");
    return neighbour;
  }

  async #endNeighbour(): Promise<void> {
    const neighbour = this.#neighbour;
    this.#neighbour = null;
    if (neighbour === null) return;
    this.#faults.push(...neighbour.faults.map((fault) => `the other process: ${fault}`));
    await neighbour.kill();
  }

  async #round(round: number): Promise<void> {
    const moment = this.#random();
    const isEarly = moment < EARLY;
    const delayMs = this.#random() * (isEarly ? EARLY_MS : LATE_MS);
    const child = this.#start(round);
    try {
      if (!isEarly) {
        await this.#judge(child, round);
        child.send("store");
        const { blocks } = await child.next("stored");
        if (moment < EARLY + RESTING) this.#kept = blocks;
        else child.send("load");
      }
      await sleep(delayMs);
    } finally {
      await child.kill();
      for (const fault of child.faults) this.#note(round, fault);
    }
    this.#killed++;
  }

  /** The last process, which nobody kills, has to leave nothing but blocks. */
  async #end(): Promise<void> {
    const { rounds } = this.#options;
    await sleep(Math.max(this.#tempMaxAgeMs, OWNER_STALE_MS) + 100);
    const child = this.#start(rounds);
    await this.#judge(child, rounds);
    child.send("close");
    await child.end();
    for (const fault of child.faults) this.#note(rounds, fault);
    const { unfinishedSince, unknown, smallFiles } = await diskContents(this.#plan.root);
    if (smallFiles > MAX_SMALL_FILES) this.#note(rounds, `${smallFiles} small files are left over`);
    if (unfinishedSince.length > 0) this.#note(rounds, `${unfinishedSince.length} temporary files are left over`);
    if (unknown.length > 0) this.#note(rounds, `nobody knows these files: ${unknown.join(", ")}`);
  }

  #start(round: number): CrashProcess {
    return new CrashProcess("store-under-load.js", { ...this.#plan, seed: this.#plan.seed + 1000 * (round + 1) });
  }

  async #judge(child: CrashProcess, round: number): Promise<void> {
    const { held } = await child.next("verified");
    this.#verified += held.length;
    const lost = this.#plan.isShared ? [] : this.#kept.filter((n) => !held.includes(n));
    if (lost.length > 0) this.#note(round, `blocks ${lost.join()} had been stored, and are not there`);
    this.#kept = [];
    const faults = await this.#settled(child);
    for (const fault of faults) this.#note(round, fault);
    const foreign = await countForeignFiles(this.#plan.root);
    if (foreign !== this.#foreign) this.#note(round, `of ${this.#foreign} foreign files ${foreign} are as they were`);
  }

  /** What is wrong on the disk, when it stays wrong. */
  async #settled(child: CrashProcess): Promise<string[]> {
    for (const until = Date.now() + SETTLE_MS; ; await sleep(20)) {
      const contents = await diskContents(this.#plan.root);
      child.send("figures");
      const { figures } = await child.next("figures");
      const faults = this.#faultsOf(contents, figures, child.startedAt);
      if (faults.length === 0) {
        if (contents.bytes > 0.7 * this.#options.maxBytes) this.#full++;
        return faults;
      }
      if (Date.now() > until) return faults;
    }
  }

  #faultsOf({ bytes, unfinishedSince, dataFiles }: DiskContents, figures: Figures, startedAt: number): string[] {
    const { maxBytes } = this.#options;
    const faults: string[] = [];
    const stale = unfinishedSince.filter((time) => time < startedAt - this.#tempMaxAgeMs).length;
    if (stale > 0) faults.push(`${stale} temporary files are older than allowed`);
    // Beside another writer both change all the time; what it comes to is looked at when that has ended.
    if (this.#neighbour !== null) return faults;
    if (bytes > maxBytes) faults.push(`${bytes} bytes are stored, of ${maxBytes} at most`);
    const { used = bytes, segments = dataFiles } = figures;
    if (used !== bytes) faults.push(`${used} bytes are reported, and there are ${bytes}`);
    if (segments !== dataFiles) faults.push(`${segments} segments are reported, and there are ${dataFiles}`);
    return faults;
  }

  /** Tiers that have no such option make no temporary files that outlive them. */
  get #tempMaxAgeMs(): number {
    return 1000 * Number(this.#plan.options.temp_max_age_s ?? 0);
  }

  #note(round: number, fault: string): void {
    this.#faults.push(`round ${round}: ${fault}`);
  }
}
