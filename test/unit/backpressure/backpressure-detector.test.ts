import { describe, expect, it } from "@jest/globals";
import { Container } from "inversify";
import { BackpressureDetector } from "../../../src/backpressure/backpressure-detector.js";
import { DropStorePolicy } from "../../../src/backpressure/drop-store-policy.js";
import { Detector } from "../../../src/decorators/detector.js";
import { TOKENS } from "../../../src/tokens.js";
import { SetClock } from "./fixtures.js";

@Detector("QueueDepthDetector", { config: "passthrough" })
class QueueDepthDetector extends BackpressureDetector<{ readonly limit: number }> {
  readonly completed: [elapsedS: number, bytes: number][] = [];

  override isUnderPressure(): boolean {
    return this.completed.length > this.config.limit;
  }
  override onStoreCompleted(elapsedS: number, bytes: number): void {
    this.completed.push([elapsedS, bytes]);
  }
  override reset(): void {
    this.completed.length = 0;
  }
}

const build = (clock = new SetClock()) => new QueueDepthDetector({ limit: 1 }, new DropStorePolicy({}), clock);

describe("BackpressureDetector", () => {
  it("hands its injected config, policy and clock to a subclass without a constructor", () => {
    const container = new Container();
    const config = { limit: 3 };
    const policy = new DropStorePolicy({});
    const clock = new SetClock();
    container.bind(TOKENS.detectorConfig).toConstantValue(config);
    container.bind(TOKENS.backpressurePolicy).toConstantValue(policy);
    container.bind(TOKENS.clock).toConstantValue(clock);
    container.bind("detector").to(QueueDepthDetector);

    const detector = container.get<QueueDepthDetector>("detector");

    expect(detector.policy).toBe(policy);
    clock.time = 107;
    detector.update(100, 1);
    expect(detector.completed).toEqual([[7, 1]]);
    expect(detector.isUnderPressure()).toBe(false);
  });

  it("says what is missing when a subclass resolves with no arguments", () => {
    class Bare extends QueueDepthDetector {}
    expect(() => void Reflect.construct(Bare, [])).toThrow(
      expect.objectContaining({
        code: "INVALID_STATE",
        message: expect.stringContaining("Bare was constructed without"),
      }),
    );
  });

  it.each([0, -1, Number.NaN])("takes no notice of a store that moved %p bytes", (bytes) => {
    const detector = build();
    detector.update(0, bytes);
    expect(detector.completed).toEqual([]);
  });

  it("counts a refused store, and only that, as dropped", () => {
    const detector = build();
    expect(detector.shouldStore(5)).toBe(true);
    detector.update(0, 1);
    detector.update(0, 1);
    expect(detector.shouldStore(7)).toBe(false);
    expect(detector.shouldStore(2)).toBe(false);
    expect(detector.policy.popStoresDropped()).toEqual({ stores: 2, blocks: 9 });
  });

  it("needs no more than three methods: the rest follows from the pressure", () => {
    const detector = build();
    expect([detector.isHealthy(), detector.overshoot()]).toEqual([true, 0]);
    detector.update(0, 1);
    detector.update(0, 1);
    detector.onStoreFailed();
    expect([detector.isHealthy(), detector.overshoot()]).toEqual([false, 1]);
    expect(detector.stats).toEqual({});
    expect(BackpressureDetector.defaultConfig("fs", { locality: null })).toBeNull();
  });
});
