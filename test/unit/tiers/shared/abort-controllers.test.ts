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
    const { signal } = new AbortControllers().take();
    // Jest keeps the warnings of the process to itself, and `getMaxListeners` takes no signal of another realm.
    const limit = Object.getOwnPropertySymbols(signal).find(
      ({ description }) => description === "events.maxEventTargetListeners",
    );
    expect(Reflect.get(signal, limit ?? "")).toBe(0);
  });
});
