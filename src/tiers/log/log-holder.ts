import { resolve } from "node:path";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { TierContext } from "../../contracts/tier-context.js";
import { untilDeadline } from "../../contracts/until-deadline.js";
import { reasonOf } from "../../errors/factory-errors.js";
import { KvTierError } from "../../errors/kv-tier-error.js";
import type { BlockMover } from "../disk/block-mover.js";
import { openNamespace } from "../disk/open-namespace.js";
import { errorCode } from "../disk/worker/error-code.js";
import type { LogNamespace } from "./log-namespace.js";
import type { LogTierConfig } from "./log-tier-config.js";
import { OpenLog, type OpenLogOptions } from "./open-log.js";
import type { SegmentPlan } from "./plan-segments.js";
import type { LogRoot, MoveTask, SegmentWorkers } from "./segment-tasks.js";

/** How long after the folder was lost, and after each attempt to get it back, the next one follows. */
const REOPEN_AFTER_S = 2;
const NO_DESCRIPTOR: ReadonlySet<unknown> = new Set(["EMFILE", "ENFILE"]);

export interface LogHolderParts {
  readonly context: TierContext<LogTierConfig>;
  readonly namespace: LogNamespace;
  readonly blockBytes: number;
  readonly plan: SegmentPlan;
  readonly mover: BlockMover<MoveTask>;
  readonly express: SegmentWorkers;
  /** Blocks were dropped, to make room or as damaged; `null`: nobody wants to know. */
  readonly onRemoved: ((keys: readonly OffloadKey[]) => void) | null;
  readonly onChecksumFailed: (error: Error) => void;
}

/** Holds the log of a tier: opens it, lets go of it when the folder is another's, and gets it back when it is free. */
export class LogHolder {
  readonly #parts: LogHolderParts;
  /** Resolved once: the working folder may change, and links too. */
  #root: LogRoot;
  #log: OpenLog | null = null;
  #isClosed = false;
  #cancelReopen = (): void => {};

  constructor(parts: LogHolderParts) {
    this.#parts = parts;
    this.#root = { path: resolve(parts.context.config.rootDir), device: null };
  }

  /** `null` before it is opened, after it is closed, and while the folder is another's or its disk is away. */
  get log(): OpenLog | null {
    return this.#log;
  }

  /**
   * On a mount that hangs nothing ends by itself.
   *
   * @throws KvTierError `TIER_INIT_FAILED` when the folder cannot be used, does not answer within the deadline, or has
   *   another owner.
   */
  async open(): Promise<void> {
    const { clock, config } = this.#parts.context;
    if (await untilDeadline(clock, config.deadlineS, this.#open())) return;
    throw new KvTierError(
      "TIER_INIT_FAILED",
      `root_dir ${JSON.stringify(config.rootDir)} did not answer within ${config.deadlineS} s. Is its mount alive?`,
    );
  }

  /**
   * The log, as long as this process certainly owns it.
   *
   * @throws KvTierError `INVALID_STATE` when it does not.
   */
  async owned(): Promise<OpenLog> {
    const log = this.#log;
    if (log === null || !(await log.lock.isHeld())) throw notOpen();
    return log;
  }

  /** Gives the folder up. Work that does not end is waited for until the deadline, and no longer. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelReopen();
    const log = this.#log;
    this.#log = null;
    const { clock, config } = this.#parts.context;
    if (log !== null) await this.#quietly(untilDeadline(clock, config.deadlineS, log.close()));
  }

  async #open(): Promise<void> {
    const { context, namespace, blockBytes, plan, mover, express, onRemoved, onChecksumFailed } = this.#parts;
    const { clock, config } = context;
    const folder = await openNamespace(config.rootDir, namespace, async () => {
      const opened = await express.run({ op: "folders", root: this.#root, namespace });
      if ("message" in opened) throw Object.assign(new Error(opened.message), { code: opened.code });
      this.#root = opened.root;
      return opened.folder;
    });
    const log = await openLog({
      folder,
      geometry: { slots: plan.slots, blockBytes },
      maxSegments: plan.maxSegments,
      checksum: config.checksum,
      mover,
      express,
      clock,
      onLost: () => this.#lost(),
      onRemoved,
      onChecksumFailed,
    });
    // Whoever was slow to open it may have been taken for gone meanwhile.
    const isHeld = this.#isClosed || (await log.lock.isHeld());
    if (this.#isClosed) return log.close();
    if (!isHeld) {
      await log.abandon();
      throw new KvTierError(
        "TIER_INIT_FAILED",
        `The folder ${folder} was removed, or another process has taken it over, while it was opened.`,
      );
    }
    this.#log = log;
  }

  /** What is held is another's now: none of it is served any more. The folder may become free again. */
  #lost(): void {
    const log = this.#log;
    this.#log = null;
    // One that was never held is let go of by who opens it.
    if (this.#isClosed || log === null) return;
    const { context } = this.#parts;
    context.logger.error("Another process has taken the folder of a log tier over, or it was removed", {
      tier: context.tierType,
      rootDir: context.config.rootDir,
    });
    void this.#quietly(log.abandon());
    this.#reopenLater();
  }

  #reopenLater(): void {
    if (this.#isClosed) return;
    const { clock, logger, tierType } = this.#parts.context;
    this.#cancelReopen = clock.after(REOPEN_AFTER_S, () => {
      this.#open().then(
        () => logger.info("The folder of a log tier is in use again", { tier: tierType }),
        () => this.#reopenLater(),
      );
    });
  }

  async #quietly(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      const { logger, tierType } = this.#parts.context;
      logger.warn("A log tier was not closed in order", { tier: tierType, error: reasonOf(error) });
    }
  }
}

/** As `OpenLog.open`; when there are not enough file descriptors, it says what to do. */
async function openLog(options: OpenLogOptions): Promise<OpenLog> {
  try {
    return await OpenLog.open(options);
  } catch (cause) {
    if (!NO_DESCRIPTOR.has(errorCode(cause))) throw cause;
    throw new KvTierError(
      "TIER_INIT_FAILED",
      `The log in ${options.folder} cannot be opened: ${reasonOf(cause)}. Each of its segments takes a file descriptor: ` +
        `raise the limit of this process (ulimit -n), or make segments larger (segment_bytes).`,
      { cause },
    );
  }
}

/** What anything that needs the log fails with while there is none. */
export function notOpen(): KvTierError {
  return new KvTierError("INVALID_STATE", "The log tier is not initialized, is shut down, or has lost its folder.");
}
