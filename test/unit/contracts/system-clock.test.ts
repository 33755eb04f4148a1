import { afterEach, beforeEach, describe, expect, it, jest } from "@jest/globals";
import { systemClock } from "../../../src/contracts/clock.js";

const DAY_S = 24 * 60 * 60;

describe("systemClock", () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  const fired: number[] = [];
  const start = (seconds: number): (() => void) => {
    fired.length = 0;
    const begin = systemClock.now();
    return systemClock.after(seconds, () => void fired.push(systemClock.now() - begin));
  };

  it("counts seconds", () => {
    const before = systemClock.now();
    jest.advanceTimersByTime(1500);
    expect(systemClock.now() - before).toBeCloseTo(1.5, 9);
  });

  it("calls once, after the delay", () => {
    start(2);
    jest.advanceTimersByTime(1999);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(60_000);
    expect(fired).toEqual([2]);
  });

  it.each([0, -5])("calls in a later turn for %p seconds, never at once", (seconds) => {
    start(seconds);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(fired).toHaveLength(1);
  });

  it("does not call early for a part of a millisecond", () => {
    start(0.0105);
    jest.advanceTimersByTime(10);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(fired).toHaveLength(1);
  });

  it("waits for longer than a timer of Node's can", () => {
    start(60 * DAY_S);
    jest.advanceTimersByTime(59 * DAY_S * 1000);
    expect(fired).toEqual([]);
    jest.advanceTimersByTime(2 * DAY_S * 1000);
    expect(fired).toHaveLength(1);
  });

  it("never calls for a delay without an end, and does not spin either", () => {
    start(Infinity);
    jest.advanceTimersByTime(100 * DAY_S * 1000);
    expect(fired).toEqual([]);
    expect(jest.getTimerCount()).toBe(1);
  });

  it.each([1, 30 * DAY_S, 60 * DAY_S])("calls no more once it is cancelled, with %p seconds to go", (seconds) => {
    const cancel = start(seconds);
    jest.advanceTimersByTime((seconds - 1) * 1000);
    cancel();
    cancel();
    jest.advanceTimersByTime(90 * DAY_S * 1000);
    expect(fired).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it("keeps no process alive", () => {
    jest.useRealTimers();
    const spy = jest.spyOn(globalThis, "setTimeout");
    const cancel = systemClock.after(1000, () => undefined);
    const timer = spy.mock.results[0]?.value as NodeJS.Timeout;
    expect(timer.hasRef()).toBe(false);
    cancel();
    spy.mockRestore();
  });
});
