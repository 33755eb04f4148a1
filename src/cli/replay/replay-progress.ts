import { SingleBar } from "cli-progress";
import type { CliEnvironment } from "../cli-environment.js";
import { formatCount, formatShare } from "../format.js";
import type { ReplayCounts } from "./replay-run.js";

const STEPS = 1000;

/** A progress bar for people: on a terminal, and not beside JSON. */
export class ReplayProgress {
  readonly #bar: SingleBar | null;

  constructor({ terminal }: Pick<CliEnvironment, "terminal">, isJson: boolean) {
    this.#bar =
      terminal === null || isJson
        ? null
        : new SingleBar({
            stream: terminal,
            format: "replay [{bar}] {percentage} % | {requests} requests | prefix hit rate {rate}",
            hideCursor: true,
            clearOnComplete: true,
          });
    this.#bar?.start(STEPS, 0, { requests: "0", rate: formatShare(0) });
  }

  /** @param share how much of the work is done, 0 to 1 */
  update(share: number, { requests, hits, lookedUp }: ReplayCounts): void {
    const rate = formatShare(lookedUp === 0 ? 0 : hits / lookedUp);
    this.#bar?.update(Math.round(share * STEPS), { requests: formatCount(requests), rate });
  }

  stop(): void {
    this.#bar?.stop();
  }
}
