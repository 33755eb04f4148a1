// The few kinds of fields of a protocol buffer that ONNX needs: https://protobuf.dev/programming-guides/encoding/

const VARINT = 0;
const LENGTH = 2;

/** @param {number | bigint} value negative ones as 64-bit two's complement */
function varint(value) {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes = [];
  do {
    bytes.push(Number(rest & 0x7fn) | (rest > 0x7fn ? 0x80 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
}

/** A number. @param {number} field @param {number} value */
export function number(field, value) {
  return Buffer.concat([varint((field << 3) | VARINT), varint(value)]);
}

/** A text, bytes, or a message of these fields. @param {number} field @param {(Uint8Array | string)[]} parts */
export function message(field, ...parts) {
  const body = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
  return Buffer.concat([varint((field << 3) | LENGTH), varint(body.length), body]);
}
