import { SingleBar } from "cli-progress";
import type { CliEnvironment } from "../cli-environment.js";

const STEPS = 1000;

/** A progress bar for people, for one tier: on a terminal, and not beside JSON. */
export class BenchProgress {
  readonly #bar: SingleBar | null;

  /** @param name of the tier */
  constructor({ terminal }: Pick<CliEnvironment, "terminal">, isJson: boolean, name: string) {
    this.#bar =
      terminal === null || isJson
        ? null
        : new SingleBar({
            stream: terminal,
            format: `bench [{bar}] {percentage} % | ${name}`,
            hideCursor: true,
            clearOnComplete: true,
          });
    this.#bar?.start(STEPS, 0);
  }

  /** @param share how much of the time is over, 0 to 1 */
  update(share: number): void {
    this.#bar?.update(Math.round(share * STEPS));
  }

  stop(): void {
    this.#bar?.stop();
  }
}
