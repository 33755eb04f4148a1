import { describe, expect, it } from "@jest/globals";
import { DropStorePolicy } from "../../../src/backpressure/drop-store-policy.js";
import { detectorSaying } from "./fixtures.js";

describe("DropStorePolicy", () => {
  it("stores exactly when the detector is not under pressure, however far above the mark", () => {
    const policy = new DropStorePolicy({});
    expect(policy.shouldStore(detectorSaying({ pressured: false, overshoot: 9 }))).toBe(true);
    expect(policy.shouldStore(detectorSaying({ pressured: true, overshoot: 0 }))).toBe(false);
  });

  it("counts stores and their blocks, and gives each count away once", () => {
    const policy = new DropStorePolicy({});
    policy.onStoreSkipped(3);
    policy.onStoreSkipped(4);
    expect(policy.popStoresDropped()).toEqual({ stores: 2, blocks: 7 });
    expect(policy.popStoresDropped()).toEqual({ stores: 0, blocks: 0 });
  });

  it("forgets its counts at a reset", () => {
    const policy = new DropStorePolicy({});
    policy.onStoreSkipped(3);
    policy.reset();
    expect(policy.popStoresDropped()).toEqual({ stores: 0, blocks: 0 });
  });
});
