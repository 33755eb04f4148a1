import type { Clock } from "../../../contracts/clock.js";
import type { DiskStatus, KeeperReplies, KeeperTask, KeeperThread, RemovalReply, ScanReply } from "../keeper-tasks.js";

/** Lines that are worth a task. */
const TELL_LINES = 1024;
/** Uses are told as long as no more lines wait: more would only mean that the thread hangs. */
const MAX_WAITING_LINES = 16 * TELL_LINES;
/** How exactly the time of a use is known. */
const STAMP_S = 0.05;

export interface KeeperParts {
  readonly thread: KeeperThread;
  readonly clock: Clock;
  /** Every answer that says what there is; `told` = bytes of stores that it has now heard of. */
  readonly onStatus: (status: DiskStatus, told: number) => void;
}

/** The keeper's thread as the event loop sees it, and what it is to be told next. */
export class Keeper {
  readonly #parts: KeeperParts;
  #lines: string[] = [];
  #bytes = 0;
  #stampedAt = -Infinity;
  /** Ends when all that was told is heard. */
  #telling: Promise<void> = Promise.resolve();
  #isTelling = false;
  #removing = 0;
  #removals = 0;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Whether files are being removed because somebody said so, and not to make room. */
  get isRemoving(): boolean {
    return this.#removing > 0;
  }

  /** Another number whenever such a removal has begun or ended. */
  get removals(): number {
    return this.#removals;
  }

  /** @throws an `Error` with the `code` of what failed in the thread */
  async run<T extends KeeperTask>(task: T): Promise<KeeperReplies[T["op"]]> {
    const answer = await this.#parts.thread.run(task);
    if ("value" in answer) return answer.value;
    const { message, code } = answer.failure;
    throw code === undefined ? new Error(message) : Object.assign(new Error(message), { code });
  }

  /** A file was written. */
  stored(file: string, bytes: number): void {
    this.#bytes += bytes;
    this.#add(`+${bytes} ${file}`);
  }

  /** A file was read, or found to be there. */
  used(file: string): void {
    if (this.#lines.length < MAX_WAITING_LINES) this.#add(`~${file}`);
  }

  /** A block was used; whether it has a file is not known. */
  touched(file: string): void {
    if (this.#lines.length < MAX_WAITING_LINES) this.#add(`=${file}`);
  }

  /** A file may be gone, or another than it was. */
  doubt(file: string): void {
    this.#add(`?${file}`);
  }

  /** A thread is gone that was to write files, or read them: what it had begun it will not end. */
  threadEnded(threadId: number): void {
    this.#add(`-${threadId}`);
  }

  /** A file was to be written by a thread that was ended. */
  cut(file: string): void {
    this.#add(`!${file}`);
  }

  /** Tells what waits to be told. Resolves when that, and what was told before, is in the books. Never rejects. */
  tell(): Promise<void> {
    if (this.#lines.length > 0) this.#telling = this.#send();
    return this.#telling;
  }

  /** The thread works in order: the last answer comes last. */
  async #send(): Promise<void> {
    const lines = this.#lines.join("\n");
    const told = this.#bytes;
    this.#lines = [];
    this.#bytes = 0;
    // When it could not be told, nothing is known for sure until all is counted again, which then shows why.
    let status: DiskStatus = { used: 0, isCounted: false };
    try {
      status = await this.run({ op: "note", lines });
    } catch {
      // As above.
    }
    this.#parts.onStatus(status, told);
  }

  /** Goes over the whole root. */
  async scan(): Promise<ScanReply> {
    await this.tell();
    for (let isFirst = true; ; isFirst = false) {
      const reply = await this.run({ op: "scan", isFirst });
      if (!reply.isDone) continue;
      this.#parts.onStatus(reply.status, 0);
      return reply;
    }
  }

  /** Writes down when files were used. */
  async persist(): Promise<void> {
    await this.tell();
    while (!(await this.run({ op: "persist", now: this.#parts.clock.now() })));
  }

  /** Removes blocks because somebody said so. A store may be writing one of them anew at the same time. */
  async remove(task: Extract<KeeperTask, { op: "remove" | "clear" }>): Promise<RemovalReply> {
    this.#removing++;
    this.#removals++;
    try {
      return await this.change(task);
    } finally {
      this.#removing--;
      this.#removals++;
    }
  }

  /** @param task one that changes what there is */
  async change<T extends Extract<KeeperTask, { op: "evict" | "remove" | "clear" | "sweep" }>>(
    task: T,
  ): Promise<KeeperReplies[T["op"]]> {
    await this.tell();
    const reply = await this.run(task);
    this.#parts.onStatus(reply.status, 0);
    return reply;
  }

  #add(line: string): void {
    const now = this.#parts.clock.now();
    if (this.#lines.length === 0 || now - this.#stampedAt >= STAMP_S) {
      this.#lines.push(`@${now}`);
      this.#stampedAt = now;
    }
    this.#lines.push(line);
    if (this.#lines.length < TELL_LINES || this.#isTelling) return;
    this.#isTelling = true;
    void this.tell().then(() => (this.#isTelling = false));
  }
}
