import { describe, expect, it } from "@jest/globals";
import { formatByteSize, parseByteSize } from "../../../src/config/byte-size.js";
import { ByteSize } from "../../../src/config/byte-size-option.js";
import { validateOptions } from "../../../src/config/validate-options.js";

class Sizes {
  @ByteSize() size!: number;
  @ByteSize({ min: 0, optional: true }) spare?: number;
}

describe("parseByteSize", () => {
  it.each([
    [0, 0],
    [123, 123],
    ["123B", 123],
    ["64KB", 64_000],
    ["64KiB", 65_536],
    ["256MiB", 268_435_456],
    ["4GiB", 4_294_967_296],
    ["4 gib", 4_294_967_296],
    ["1.5 GiB", 1_610_612_736],
    ["0.3GB", 300_000_000],
    ["2TB", 2e12],
    ["1PiB", 2 ** 50],
  ])("reads %p as %p bytes", (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes);
  });

  it.each([
    ["123"],
    ["GiB"],
    [""],
    ["-1KB"],
    ["1.5B"],
    ["0.3KiB"],
    ["4 G"],
    ["1ib"],
    ["1e3KB"],
    [" 1KB"],
    ["1 000KB"],
    ["99PiB"],
  ])("refuses %p", (text) => {
    expect(() => parseByteSize(text)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });

  it.each([[-1], [1.5], [Number.NaN], [Infinity], [2 ** 53]])("refuses the number %p", (value) => {
    expect(() => parseByteSize(value)).toThrow(/must be a whole number of bytes/);
  });
});

describe("formatByteSize", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1536, "1.5 KiB"],
    [268_435_456, "256 MiB"],
    [2 ** 50 * 2048, "2048 PiB"],
  ])("shows %p as %p", (bytes, text) => {
    expect(formatByteSize(bytes)).toBe(text);
  });
});

describe("@ByteSize", () => {
  it("turns sizes into bytes and leaves bytes as they are", () => {
    expect(validateOptions(Sizes, { size: "1KiB", spare: 0 }, "").value).toEqual(
      Object.assign(new Sizes(), { size: 1024, spare: 0 }),
    );
  });

  it.each([["12"], [0], ["0KiB"], [true], [{}], ["lots"]])("refuses %p", (size) => {
    expect(validateOptions(Sizes, { size }, "").problems).toEqual([
      {
        path: "size",
        message: expect.stringMatching(
          /^must be a whole number of bytes, or a size such as "256MiB" or "4GB", at least 1 B; got /,
        ),
      },
    ]);
  });
});
