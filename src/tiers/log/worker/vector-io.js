/**
 * Moves `length` bytes between `buffers` and a file, from `position` on, however few a call moves at a time.
 *
 * @param {(buffers: readonly Uint8Array[], position: number) => number} move `readv` or `writev`
 * @param {readonly Uint8Array[]} buffers
 * @param {number} length of all of them together
 * @param {number} position
 */
export function moveAll(move, buffers, length, position) {
  let rest = buffers;
  for (let done = 0; ;) {
    const moved = move(rest, position + done);
    if (moved <= 0) throw new Error(`The segment ends ${length - done} bytes early.`);
    done += moved;
    if (done >= length) return;
    rest = without(rest, moved);
  }
}

/** `buffers` without their first `bytes` bytes. @param {readonly Uint8Array[]} buffers @param {number} bytes */
function without(buffers, bytes) {
  const rest = [];
  for (const buffer of buffers) {
    if (bytes >= buffer.byteLength) bytes -= buffer.byteLength;
    else {
      rest.push(buffer.subarray(bytes));
      bytes = 0;
    }
  }
  return rest;
}
