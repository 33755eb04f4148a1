import { describe, expect, it } from "@jest/globals";
import { ManualClock } from "../../../src/testing/index.js";

describe("ManualClock", () => {
  it("stands still until it is moved", () => {
    const clock = new ManualClock(5);
    expect(clock.now()).toBe(5);
    clock.advance(2.5);
    expect(clock.now()).toBe(7.5);
  });

  it("fires what is due in order of time, each at its own time, and of setting at equal times", () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    const note = (name: string) => () => fired.push(`${name} at ${clock.now()}`);
    clock.after(3, note("c"));
    clock.after(1, note("a"));
    clock.after(1, note("b"));
    clock.after(4, note("d"));
    clock.advance(3);
    expect(fired).toEqual(["a at 1", "b at 1", "c at 3"]);
    expect(clock.pendingTimers).toBe(1);
  });

  it("fires timers that are set on the way, if they come due on the way", () => {
    const clock = new ManualClock();
    const fired: number[] = [];
    const again = (): void => {
      fired.push(clock.now());
      clock.after(2, again);
    };
    clock.after(2, again);
    clock.advance(7);
    expect(fired).toEqual([2, 4, 6]);
    expect(clock.now()).toBe(7);
  });

  it("does not fire what was cancelled, also by another timer", () => {
    const clock = new ManualClock();
    const fired: string[] = [];
    const cancel = clock.after(2, () => fired.push("cancelled"));
    clock.after(1, cancel);
    clock.advance(5);
    expect(fired).toEqual([]);
  });

  it.each([-1, NaN])("does not go back or nowhere: advance(%d)", (seconds) => {
    expect(() => new ManualClock().advance(seconds)).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
  });
});
