import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Container } from "inversify";
import type { SecondaryTierManager } from "../contracts/secondary-tier-manager.js";
import { tierMetadataOf, type Class } from "../contracts/tier-metadata.js";
import { SecondaryTier } from "../decorators/secondary-tier.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { SecondaryTierFactory } from "../factory/secondary-tier-factory.js";
import type { DiskIo } from "../tiers/disk/disk-io.js";
import { TOKENS } from "../tokens.js";
import type { DiskCall, DiskFault } from "./disk-fault.js";
import { rebindTier } from "./rebind-tier.js";
import { callNames, FaultControl } from "./worker/fault-control.js";

const IO_MODULE = new URL("./worker/faulty-fs.js", import.meta.url).href;

/**
 * A disk that fails on request, under the worker threads of a real `fs` tier or any other that is built on them. Faults
 * begin and end while the tier runs; what no fault is set for goes to the real file system. Of the `fs` tier all
 * calls can go wrong, those too that open its folder; calls that a tier makes in the main thread do not.
 */
export class FaultyDisk {
  readonly #control = new FaultControl();
  /** Folder of the pipe in which calls hang; `null` until one is to. */
  #folder: string | null = null;
  /** The pipe, open to write: while it is, nobody hangs in it. */
  #gate: number | null = null;

  /** For a tier's `io`, where it is made without {@link attach}. */
  get io(): DiskIo {
    return { ioModule: IO_MODULE, ioControl: this.#control.buffer };
  }

  /** Calls that failed or moved less than asked for, since the start. */
  get injected(): number {
    return this.#control.injected;
  }

  /** Calls that hung since the start, those that were released included. */
  get hung(): number {
    return this.#control.hung;
  }

  /**
   * Puts this disk under the tiers of `type` that `container` makes from now on:
   * `createTiering(config, { configure: (container) => disk.attach(container, "fs") })`.
   *
   * @throws KvTierError `INVALID_STATE` when that tier does not take its calls from a disk; what
   *   `SecondaryTierFactory.getTierClass` throws for the type.
   */
  async attach(container: Container, type: string): Promise<void> {
    const Tier = await container.get<SecondaryTierFactory>(TOKENS.tierFactory).getTierClass({ type });
    if (!Reflect.has(Tier.prototype as object, "io")) {
      throw new KvTierError("INVALID_STATE", `A ${type} tier makes no calls that a faulty disk could serve.`);
    }
    const { config = null, medium = null } = tierMetadataOf(Tier) ?? {};
    const Faulty = class extends (Tier as Class<object>) {};
    Object.defineProperty(Faulty.prototype, "io", { get: () => this.io });
    SecondaryTier(type, { config, ...(medium !== null && { medium }) })(Faulty);
    rebindTier(container, type, Faulty as Class<SecondaryTierManager>);
  }

  /**
   * Lets every call of this kind go wrong from now on, or those that the fault picks, in the place of an earlier fault.
   *
   * @throws KvTierError `INVALID_STATE` when the fault cannot come about.
   */
  set(call: DiskCall, fault: DiskFault): void {
    assertPossible(call, fault);
    if ("hang" in fault) {
      this.#makePipe();
      this.#shutGate();
    }
    this.#control.set(call, fault);
  }

  /** Takes back the fault of these calls, or every fault. Calls that hang still do: see {@link release}. */
  clear(...calls: readonly DiskCall[]): void {
    for (const call of calls.length === 0 ? callNames() : calls) this.#control.set(call, null);
  }

  /** Resolves when `count` calls have hung since the start. */
  async untilHung(count: number): Promise<void> {
    while (this.hung < count) await nextTurn();
  }

  /** Lets every call go on that hangs, and takes back the faults that would make more of them hang. */
  release(): void {
    this.#control.endHangs();
    // Left open: a thread that is on its way into the pipe must not hang after this.
    if (this.#folder !== null) this.#gate ??= openSync(this.#control.pipe, "r+");
  }

  /** Takes back every fault, and lets every call go on. A process with a call that hangs cannot end. */
  close(): void {
    this.clear();
    this.release();
    // The pipe goes before its gate is shut: a thread that is on its way finds it open, or not at all.
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = null;
    this.#shutGate();
  }

  #shutGate(): void {
    if (this.#gate !== null) closeSync(this.#gate);
    this.#gate = null;
  }

  #makePipe(): void {
    if (this.#folder !== null) return;
    this.#folder = mkdtempSync(join(tmpdir(), "kvtier-hang-"));
    const pipe = join(this.#folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    this.#control.pipe = pipe;
  }
}

function assertPossible(call: DiskCall, fault: DiskFault): void {
  const problem = problemOf(call, fault);
  if (problem !== null) throw new KvTierError("INVALID_STATE", `No such fault of ${call}: ${problem}.`);
}

function problemOf(call: DiskCall, fault: DiskFault): string | null {
  const { every = 1, rate = 1 } = fault;
  if (!isCount(every)) return "every must be a positive integer";
  if (!(rate > 0 && rate <= 1)) return "rate must be above 0 and at most 1";
  if ("maxBytes" in fault && !isCount(fault.maxBytes)) return "maxBytes must be a positive integer";
  if ("error" in fault && !(fault.error in constants.errno)) return `this system has no error ${fault.error}`;
  const isOfTransfer = "maxBytes" in fault || ("error" in fault && fault.afterHalf === true);
  return isOfTransfer && call !== "read" && call !== "write" ? "the call moves no bytes" : null;
}

const isCount = (n: number): boolean => Number.isSafeInteger(n) && n > 0;
