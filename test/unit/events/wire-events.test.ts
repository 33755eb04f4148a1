import { describe, expect, it } from "@jest/globals";
import { makeOffloadKey } from "../../../src/contracts/offload-key.js";
import { BlockDescriptions } from "../../../src/events/block-descriptions.js";
import { WireEvents } from "../../../src/events/wire-events.js";

const HASHES = ["00112233445566778899aabbccddeeff", "ffffffffffffffffffffffffffffffff", "01"];
const [first, second, third] = HASHES.map((hash) => makeOffloadKey(hash)) as [
  ReturnType<typeof makeOffloadKey>,
  ReturnType<typeof makeOffloadKey>,
  ReturnType<typeof makeOffloadKey>,
];
const ofGroup1 = makeOffloadKey("02", 1);
const NUMBERS = [0x8899aabbccddeeffn, 0xffffffffffffffffn, 1n];
const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, "hex"));

describe("WireEvents", () => {
  it("packs stored blocks by name, those that nobody described together", () => {
    const wire = new WireEvents(new BlockDescriptions(9), {});
    expect(
      wire.of([{ keys: [first, second, ofGroup1], medium: "STORAGE", removed: false, locality: "REMOTE" }]),
    ).toEqual([
      {
        type: "BlockStored",
        block_hashes: NUMBERS.slice(0, 2),
        parent_block_hash: null,
        token_ids: [],
        block_size: 0,
        lora_id: null,
        medium: "STORAGE",
        lora_name: null,
        group_idx: 0,
        locality: "REMOTE",
      },
      expect.objectContaining({ type: "BlockStored", block_hashes: [2n], group_idx: 1 }),
    ]);
  });

  it("packs a described block with its tokens and the block before it", () => {
    const descriptions = new BlockDescriptions(9);
    descriptions.add([first, second], { tokenIds: [1, 2, 3, 4], loraId: 7, loraName: "poet" });
    const wire = new WireEvents(descriptions, {});
    const [one, two] = wire.of([{ keys: [first, second], medium: "CPU", removed: false }]);
    expect(one).toEqual({
      type: "BlockStored",
      block_hashes: [NUMBERS[0]],
      parent_block_hash: null,
      token_ids: [1, 2],
      block_size: 2,
      lora_id: 7,
      medium: "CPU",
      lora_name: "poet",
      group_idx: 0,
    });
    expect(two).toMatchObject({ block_hashes: [NUMBERS[1]], parent_block_hash: NUMBERS[0], token_ids: [3, 4] });
  });

  it("packs removed blocks, one event for each group", () => {
    const wire = new WireEvents(new BlockDescriptions(9), {});
    expect(wire.of([{ keys: [first, ofGroup1, third], medium: "CPU", removed: true }])).toEqual([
      { type: "BlockRemoved", block_hashes: [NUMBERS[0], 1n], medium: "CPU", group_idx: 0 },
      { type: "BlockRemoved", block_hashes: [2n], medium: "CPU", group_idx: 1 },
    ]);
  });

  it("packs in the order of the fields for those who read older events", () => {
    const wire = new WireEvents(new BlockDescriptions(9), { eventLayout: "array" });
    const where = { keys: [third], medium: "STORAGE", locality: "LOCAL" } as const;
    expect(
      wire.of([
        { ...where, removed: false },
        { ...where, removed: true },
      ]),
    ).toEqual([
      ["BlockStored", [1n], null, [], 0, null, "STORAGE", null, null, 0],
      ["BlockRemoved", [1n], "STORAGE", 0],
    ]);
  });

  it("packs whole hashes on demand", () => {
    const descriptions = new BlockDescriptions(9);
    descriptions.add([first], { tokenIds: [1], parentHash: bytes("aa") });
    const wire = new WireEvents(descriptions, { blockHashes: "bytes" });
    expect(wire.of([{ keys: [first], medium: "CPU", removed: false }])).toMatchObject([
      { block_hashes: [bytes(HASHES[0] ?? "")], parent_block_hash: bytes("aa") },
    ]);
  });
});

describe("BlockDescriptions", () => {
  it("share tokens and hashes out evenly, and name the hash before each block", () => {
    const descriptions = new BlockDescriptions(9);
    const blockHashes = ["a1", "a2", "b1", "b2"].map(bytes);
    descriptions.add([first, second], { tokenIds: [1, 2, 3, 4, 5, 6, 7, 8], blockHashes, parentHash: bytes("99") });
    expect(descriptions.stored(first, "CPU")).toMatchObject({ parentHash: bytes("99"), tokensPerHash: 2 });
    expect(descriptions.stored(second, "CPU")).toMatchObject({
      parentHash: bytes("a2"),
      blockHashes: [bytes("b1"), bytes("b2")],
      tokenIds: [5, 6, 7, 8],
    });
  });

  it.each([
    [{ tokenIds: [1, 2, 3] }],
    [{ tokenIds: [] }],
    [{ tokenIds: [1, 2, 3, 4], blockHashes: [bytes("aa")] }],
    [{ tokenIds: [1, 2], blockHashes: ["a1", "a2", "b1", "b2"].map(bytes) }],
  ])("refuse what two blocks cannot share: %j", (sequence) => {
    expect(() => new BlockDescriptions(9).add([first, second], sequence)).toThrow(
      expect.objectContaining({ code: "INVALID_STATE" }),
    );
  });

  it("forget the block described first when there are too many", () => {
    const descriptions = new BlockDescriptions(2);
    for (const key of [first, second, third]) descriptions.add([key], { tokenIds: [1] });
    expect([first, second, third].map((key) => descriptions.stored(key, "CPU") !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    expect(descriptions.size).toBe(2);
  });
});
