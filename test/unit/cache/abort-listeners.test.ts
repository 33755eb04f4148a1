import { getEventListeners } from "node:events";
import { describe, expect, it } from "@jest/globals";
import { AbortListeners } from "../../../src/cache/abort-listeners.js";
import { keysOf, openCache, turns } from "./cache-rig.js";

describe("AbortListeners", () => {
  it("call all who wait for one signal, but not those who were taken off", () => {
    const aborts = new AbortListeners();
    const controller = new AbortController();
    const called: number[] = [];
    const take = [1, 2, 3].map((n) => aborts.add(controller.signal, () => called.push(n)));
    take[1]?.();
    controller.abort();
    expect(called).toEqual([1, 3]);
  });

  it("leave nothing on a signal that nobody waits for", () => {
    const aborts = new AbortListeners();
    const { signal } = new AbortController();
    const take = [1, 2].map(() => aborts.add(signal, () => {}));
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    for (const takeOff of [...take, ...take]) takeOff();
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("let twenty acquisitions share a signal with one listener, which rejects them all", async () => {
    const { cache, tier, close } = await openCache();
    tier.answer = "retry";
    const controller = new AbortController();
    const acquiring = keysOf(...Array.from({ length: 20 }, (_, n) => n)).map((key) =>
      cache.acquire([key], { signal: controller.signal }),
    );
    await turns();
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1);
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await Promise.allSettled(acquiring)).toEqual(acquiring.map(() => ({ status: "rejected", reason })));
    await close();
  });
});
