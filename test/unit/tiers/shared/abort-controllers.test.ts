import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "@jest/globals";
import { AbortControllers } from "../../../../src/tiers/shared/abort-controllers.js";

describe("AbortControllers", () => {
  it("hand out again what is as good as new", () => {
    const aborts = new AbortControllers();
    const first = aborts.take();
    const listener = (): void => {};
    first.signal.addEventListener("abort", listener);
    first.signal.removeEventListener("abort", listener);
    aborts.giveBack(first);
    expect(aborts.take()).toBe(first);
    expect(aborts.take()).not.toBe(first);
  });

  it.each([
    ["was aborted", (controller: AbortController) => controller.abort()],
    ["somebody listens to", ({ signal }: AbortController) => signal.addEventListener("abort", () => {})],
    ["somebody handles", ({ signal }: AbortController) => void (signal.onabort = () => {})],
  ])("never hand out again one that %s", (_what, use) => {
    const aborts = new AbortControllers();
    const first = aborts.take();
    use(first);
    aborts.giveBack(first);
    expect(aborts.take()).not.toBe(first);
  });

  it("may have any number of listeners, without a warning", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const { signal } = new AbortControllers().take();
    for (let i = 0; i < 20; i++) signal.addEventListener("abort", () => {});
    await nextTurn();
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
  });
});
