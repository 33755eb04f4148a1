import { getMaxListeners } from "node:events";
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

  it("may have any number of listeners, without a warning", () => {
    expect(getMaxListeners(new AbortControllers().take().signal)).toBe(0);
  });
});
