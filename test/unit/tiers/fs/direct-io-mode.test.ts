import { describe, expect, it } from "@jest/globals";
import { wantsDirectIo, type DirectIoQuestion } from "../../../../src/tiers/fs/direct-io-mode.js";

const GIB = 2 ** 30;
const asked: DirectIoQuestion = { mode: "auto", blockBytes: 2 ** 20, maxBytes: 100 * GIB, memoryBytes: 64 * GIB };

describe("wantsDirectIo", () => {
  it.each<[string, Partial<DirectIoQuestion>, boolean]>([
    ["large blocks, more of them than fit in memory", {}, true],
    ["what fits in memory", { maxBytes: 64 * GIB }, false],
    ["no bound", { maxBytes: undefined }, false],
    ["small blocks", { blockBytes: 2 ** 19 }, false],
    ["blocks that are no multiple of a page", { blockBytes: 2 ** 20 + 512 }, false],
    ["on, small blocks without a bound", { mode: "on", blockBytes: 4096, maxBytes: undefined }, true],
    ["on, blocks that are no multiple of a page", { mode: "on", blockBytes: 640_256 }, false],
    ["off", { mode: "off" }, false],
  ])("%s", (_, question, expected) => {
    expect(wantsDirectIo({ ...asked, ...question })).toBe(expected);
  });
});
