import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Order, Report } from "./messages.js";

/** A process of this folder that reports by messages, and may be killed at any moment. */
export class CrashProcess {
  readonly startedAt = Date.now();
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | NodeJS.Signals | null>;
  readonly #reports: Report[] = [];
  #complaint = "";
  #wake = (): void => {};

  /** @param script name of a file in this folder */
  constructor(script: string, argument: unknown) {
    this.#child = fork(fileURLToPath(new URL(script, import.meta.url)), [JSON.stringify(argument)], {
      execArgv: [],
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    this.#child.stderr?.on("data", (chunk) => (this.#complaint += String(chunk)));
    this.#child.on("message", (report: Report) => {
      this.#reports.push(report);
      this.#wake();
    });
    this.#ended = once(this.#child, "close").then(([code, signal]: unknown[]) => {
      this.#wake();
      return (signal ?? code) as number | NodeJS.Signals | null;
    });
  }

  /** Faults that it has reported so far. */
  get faults(): string[] {
    return this.#reports.flatMap((report) => (report.kind === "fault" ? [report.fault] : []));
  }

  send(order: Order): void {
    this.#child.send(order);
  }

  /** The first report of this kind that was not asked for before. */
  async next<Kind extends Report["kind"]>(kind: Kind): Promise<Extract<Report, { kind: Kind }>> {
    for (;;) {
      const at = this.#reports.findIndex((report) => report.kind === kind);
      if (at >= 0) return this.#reports.splice(at, 1)[0] as Extract<Report, { kind: Kind }>;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
        throw new Error(`It ended by itself (${this.#child.exitCode ?? this.#child.signalCode}): ${this.#complaint}`);
      }
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Ends it in the middle of whatever it does. */
  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    const outcome = await this.#ended;
    if (outcome !== "SIGKILL") throw new Error(`It had ended before (${outcome}): ${this.#complaint}`);
  }

  /** Waits for it to end by itself, in order. */
  async end(): Promise<void> {
    const outcome = await this.#ended;
    if (outcome !== 0) throw new Error(`It ended with ${outcome}: ${this.#complaint}`);
  }
}
