import { runCli } from "../../src/cli/run-cli.js";
import { systemClock } from "../../src/contracts/clock.js";
import { CLI_FIXTURES, type CliRun } from "./cli-run.js";

/** `kvtier dashboard` in this process, at any free port, as in a pipe. */
export class DashboardRun {
  #out = "";
  #err = "";
  #code: Promise<number> = Promise.resolve(-1);
  #interrupt = (): void => {};
  /** Called whenever something was written. */
  readonly #listeners = new Set<() => void>();

  /** Resolves when the page is there; rejects when the command ends before. */
  static async start(
    configFile: string,
    args: readonly string[],
    variables: Record<string, string> = {},
  ): Promise<DashboardRun> {
    const run = new DashboardRun();
    const interrupted = new Promise<void>((resolve) => (run.#interrupt = resolve));
    const common = ["dashboard", "--config", configFile, "--port", "0", "--resolve-from", CLI_FIXTURES, "--json"];
    run.#code = runCli([...common, ...args], {
      out: (text) => run.#write(() => (run.#out += text)),
      err: (text) => run.#write(() => (run.#err += text)),
      terminal: null,
      clock: systemClock,
      uniqueId: () => "run",
      variable: (name) => variables[name],
      interrupted: () => interrupted,
    });
    const ended = run.#code.then((code) => Promise.reject(new Error(`It ended with ${code}: ${run.#err}`)));
    await Promise.race([run.#until(() => run.#out !== ""), ended]);
    ended.catch(() => {});
    return run;
  }

  get url(): string {
    return (JSON.parse(this.#out) as { url: string }).url;
  }

  /** Resolves when standard error has this text. */
  async noted(text: string): Promise<void> {
    await this.#until(() => this.#err.includes(text));
  }

  /** Presses Ctrl-C, and waits for the end. */
  async interrupt(): Promise<CliRun> {
    this.#interrupt();
    return { code: await this.#code, out: this.#out, err: this.#err };
  }

  #write(append: () => void): void {
    append();
    for (const listener of this.#listeners) listener();
  }

  async #until(holds: () => boolean): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }
}
