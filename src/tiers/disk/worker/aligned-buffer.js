import { Buffer } from "node:buffer";

/** Bytes of a page of WebAssembly memory; a multiple of the pages of every common system. */
const WASM_PAGE = 2 ** 16;

/**
 * A zeroed buffer that starts at a page, as direct I/O wants it. The memory of WebAssembly is the one way to it without an
 * addon; the types of Node 20 leave that global out.
 *
 * @param {number} byteLength
 */
export function alignedBuffer(byteLength) {
  const { WebAssembly } =
    /** @type {{ WebAssembly: { Memory: new (size: { initial: number }) => { buffer: ArrayBuffer } } }} */ (
      /** @type {unknown} */ (globalThis)
    );
  const { buffer } = new WebAssembly.Memory({ initial: Math.ceil(byteLength / WASM_PAGE) });
  return Buffer.from(buffer, 0, byteLength);
}
