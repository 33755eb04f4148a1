import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { RespReader, type RespReply } from "../../../../src/tiers/redis/resp-reader.js";
import { encodeReply, ErrorReply, Status, type Reply } from "../../../support/redis/resp.js";

/** What a reader makes of `bytes` that come in pieces of these sizes, over and over. */
function read(bytes: Buffer, sizes: readonly number[] = [Infinity]): { replies: RespReply[]; values: Buffer[] } {
  const replies: RespReply[] = [];
  const values: Buffer[] = [];
  const reader = new RespReader({
    placeFor: (length) => {
      const value = Buffer.alloc(length, 0xee);
      values.push(value);
      // As a block with a trailer.
      return [value.subarray(0, Math.max(0, length - 32)), value.subarray(Math.max(0, length - 32))];
    },
    onReply: (reply) => replies.push(reply),
  });
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const { target } = reader;
    const count = Math.min(sizes[turn % sizes.length] ?? 1, target.byteLength, bytes.length - at);
    target.set(bytes.subarray(at, at + count));
    reader.took(count);
    at += count;
  }
  return { replies, values };
}

const line = fc.string({ unit: fc.constantFrom("a", "B", " ", "7"), minLength: 1, maxLength: 30 });
const value = fc.oneof(
  fc.uint8Array({ maxLength: 100 }),
  fc.record({ byte: fc.nat(255), length: fc.nat(20_000) }).map(({ byte, length }) => Buffer.alloc(length, byte)),
);
const { reply } = fc.letrec<{ reply: Reply }>((tie) => ({
  reply: fc.oneof(
    { maxDepth: 2 },
    fc.constant(null),
    fc.nat(),
    line.map((text) => new Status(text)),
    line.map((text) => new ErrorReply(text)),
    value.map((bytes) => Buffer.from(bytes)),
    fc.array(tie("reply"), { maxLength: 4 }),
    fc.array(tie("reply"), { maxLength: 3 }).map((replies) => new Map(replies.map((item, i) => [String(i), item]))),
  ),
}));

function expectationOf(sent: Reply): unknown {
  if (sent === null) return null;
  if (sent instanceof Status) return sent.text;
  if (sent instanceof ErrorReply) return new Error(sent.text);
  if (typeof sent === "number") return String(sent);
  return Buffer.isBuffer(sent) ? sent.length : "";
}

describe("reading replies", () => {
  it("gives the same replies and values however the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(reply, { minLength: 1, maxLength: 6 }),
        fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 5 }),
        (sent, sizes) => {
          const { replies, values } = read(Buffer.concat(sent.map(encodeReply)), sizes);
          expect(replies).toEqual(sent.map(expectationOf));
          const expected = sent.filter((item) => Buffer.isBuffer(item));
          // Those in lists have places here too; of those that stand alone every byte must be right.
          for (const bytes of expected) expect(values.some((placed) => placed.equals(bytes))).toBe(true);
        },
      ),
    );
  });

  it("reads a large value straight into its place", () => {
    const bytes = Buffer.alloc(100_000, 7);
    const reader = new RespReader({ placeFor: () => [bytes], onReply: () => {} });
    const head = Buffer.from("$100000\r\n");
    reader.target.set(head);
    reader.took(head.length);
    expect(reader.target.buffer).toBe(bytes.buffer);
    expect(reader.target.byteLength).toBe(100_000);
  });

  it("passes over a value that nobody wants", () => {
    const replies: RespReply[] = [];
    const reader = new RespReader({ placeFor: () => null, onReply: (item) => replies.push(item) });
    const sent = Buffer.from("$5\r\n+a\r\n+\r\n+b\r\n");
    reader.target.set(sent);
    reader.took(sent.length);
    expect(replies).toEqual([5, "b"]);
  });

  it("takes the null of the older protocol for one", () => {
    expect(read(Buffer.from("$-1\r\n*-1\r\n")).replies).toEqual([null, null]);
  });

  it.each([
    ["another protocol", "HTTP/1.1 400 Bad Request\r\n", "no reply"],
    ["an empty line", "\n", "no reply"],
    ["a length that is none", "$x\r\n", "no number"],
    ["a value that is longer than it says", "$3\r\nabcd\r\n", "another length"],
    ["a line without an end", "+".padEnd(70_000, "a"), "without an end"],
  ])("refuses %s", (_, text, message) => {
    expect(() => read(Buffer.from(text))).toThrow(message);
  });
});
