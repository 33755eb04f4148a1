import { describe, expect, it } from "@jest/globals";
import { ManualClock } from "../../../../src/testing/manual-clock.js";
import { DeadlineQueue } from "../../../../src/tiers/shared/deadline-queue.js";

describe("DeadlineQueue", () => {
  it("calls each once, at its time", () => {
    const clock = new ManualClock();
    const deadlines = new DeadlineQueue(clock, 10);
    const due: string[] = [];
    deadlines.add(() => due.push(`a at ${clock.now()}`));
    clock.advance(3);
    deadlines.add(() => due.push(`b at ${clock.now()}`));
    clock.advance(100);
    expect(due).toEqual(["a at 10", "b at 13"]);
  });

  it("does not call what was taken off, and still calls what comes after it", () => {
    const clock = new ManualClock();
    const deadlines = new DeadlineQueue(clock, 10);
    const due: string[] = [];
    const takeOff = deadlines.add(() => due.push("a"));
    clock.advance(3);
    deadlines.add(() => due.push("b"));
    takeOff();
    takeOff();
    clock.advance(9.9);
    expect(due).toEqual([]);
    clock.advance(0.1);
    expect(due).toEqual(["b"]);
  });

  it("is not confused by seconds that do not add up exactly", () => {
    const clock = new ManualClock(0.1);
    const deadlines = new DeadlineQueue(clock, 0.7);
    const due: number[] = [];
    for (let i = 0; i < 50; i++) {
      deadlines.add(() => due.push(i));
      clock.advance(0.1);
    }
    clock.advance(0.7);
    expect(due).toHaveLength(50);
    expect(clock.pendingTimers).toBe(0);
  });
});
