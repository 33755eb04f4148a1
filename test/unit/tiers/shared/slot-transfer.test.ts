import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../../../src/contracts/offload-key.js";
import { PrimaryKvView } from "../../../../src/primary/primary-kv-view.js";
import { SlotTransfer } from "../../../../src/tiers/shared/slot-transfer.js";

describe("SlotTransfer", () => {
  const view = PrimaryKvView.allocate(2, 8);
  const viewOf = (blockId: number): Uint8Array => view.block(blockId);

  it("gives the bytes of its slot, always by the same view", () => {
    const transfer = new SlotTransfer(makeOffloadKey("aa"), 1, viewOf);
    transfer.block.fill(7);
    expect(transfer.block).toBe(transfer.block);
    expect([...view.block(1)]).toEqual(new Array(8).fill(7));
  });

  it("makes no view that nobody asks for, and fails whoever asks for a slot that does not exist", () => {
    const transfer = new SlotTransfer(makeOffloadKey("aa"), 2, viewOf);
    expect(() => transfer.block).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
  });
});
