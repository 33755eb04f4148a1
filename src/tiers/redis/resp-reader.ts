/** Memory for what has no place of its own: lines, and the first bytes of a value. */
const SCRATCH_BYTES = 16 * 1024;
/** A piece of a value with so many bytes to come is read straight into its place; fewer are not worth a read of their own. */
const MIN_DIRECT_BYTES = 4096;
/** No line of a reply to our commands is nearly as long. */
const MAX_LINE = 64 * 1024;
const [CR, LF] = [13, 10];

/** A reply: the text of a line, an error's as `Error`, of a value how many bytes it has, or `null`. Of a list nothing is kept. */
export type RespReply = string | number | Error | null;

/** What is read for. */
export interface RespListener {
  /** Where the bytes of a value of `length` bytes go, piece by piece, in order; `null`: nobody wants them. */
  placeFor(length: number): readonly Uint8Array[] | null;
  onReply(reply: RespReply): void;
}

/**
 * Reads what a Redis server sends (RESP2 and RESP3), values straight into the memory that they are for: the socket is to read
 * into {@link target}, which changes with each {@link took}.
 */
export class RespReader {
  readonly #listener: RespListener;
  readonly #scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  /** The piece that the socket reads into now, if it is not the scratch memory. */
  #direct: Uint8Array | null = null;
  /** The beginning of a line whose end has not come. */
  #line = "";
  /** Of the value that is being read: its bytes, those that have not come, and where they go. */
  #valueBytes = 0;
  #valueLeft = 0;
  #pieces: Uint8Array[] = [];
  /** What a value has to end with, and has not. */
  #end: readonly number[] = [];
  /** Elements of a list that have not come. */
  #elementsLeft = 0;

  constructor(listener: RespListener) {
    this.#listener = listener;
  }

  /** Where the next bytes are to be read to. */
  get target(): Uint8Array {
    const [piece] = this.#pieces;
    this.#direct = piece !== undefined && piece.byteLength >= MIN_DIRECT_BYTES ? piece : null;
    return this.#direct ?? this.#scratch;
  }

  /**
   * `count` bytes have been read to {@link target}.
   *
   * @throws Error when they are no reply: what comes after them cannot be understood either
   */
  took(count: number): void {
    if (this.#direct !== null) {
      this.#valueCame(count);
      return;
    }
    const chunk = this.#scratch.subarray(0, count);
    for (let at = 0; at < count;) {
      if (this.#valueLeft > 0) at += this.#readValue(chunk.subarray(at));
      else if (this.#end.length > 0) at += this.#readEnd(chunk.subarray(at));
      else at += this.#readLine(chunk.subarray(at));
    }
  }

  #readValue(chunk: Buffer): number {
    const [piece] = this.#pieces;
    const bytes = chunk.subarray(0, Math.min(this.#valueLeft, piece?.byteLength ?? Infinity));
    piece?.set(bytes);
    this.#valueCame(bytes.byteLength);
    return bytes.byteLength;
  }

  #valueCame(count: number): void {
    const [piece] = this.#pieces;
    if (piece?.byteLength === count) this.#pieces.shift();
    else if (piece !== undefined) this.#pieces[0] = piece.subarray(count);
    this.#valueLeft -= count;
  }

  #readEnd(chunk: Buffer): number {
    if (chunk[0] !== this.#end[0]) throw new Error("A value has another length than the server says.");
    this.#end = this.#end.slice(1);
    if (this.#end.length === 0) this.#elementEnded(this.#valueBytes);
    return 1;
  }

  #readLine(chunk: Buffer): number {
    const end = chunk.indexOf(LF);
    this.#line += chunk.toString("latin1", 0, end === -1 ? chunk.length : end);
    if (this.#line.length > MAX_LINE) throw new Error("The server sends a line without an end.");
    if (end === -1) return chunk.length;
    const line = this.#line;
    this.#line = "";
    this.#lineEnded(line.charAt(0), line.slice(1, -1));
    return end + 1;
  }

  #lineEnded(type: string, text: string): void {
    if (type !== "" && "+:#,(".includes(type)) this.#elementEnded(text);
    else if (type === "-") this.#elementEnded(new Error(text));
    else if (type === "_" || text === "-1") this.#elementEnded(null);
    else if (type === "$") this.#valueBegins(countIn(text));
    else if (type === "*" || type === "~") this.#listBegins(countIn(text));
    else if (type === "%") this.#listBegins(2 * countIn(text));
    else throw new Error("The server sends what is no reply.");
  }

  #valueBegins(length: number): void {
    this.#valueBytes = length;
    this.#valueLeft = length;
    this.#pieces = this.#listener.placeFor(length)?.filter((piece) => piece.byteLength > 0) ?? [];
    this.#end = [CR, LF];
  }

  #listBegins(elements: number): void {
    if (elements === 0) this.#elementEnded("");
    // A list in a list is itself an element of that.
    else this.#elementsLeft += this.#elementsLeft === 0 ? elements : elements - 1;
  }

  #elementEnded(reply: RespReply): void {
    if (this.#elementsLeft === 0) this.#listener.onReply(reply);
    else if (--this.#elementsLeft === 0) this.#listener.onReply("");
  }
}

function countIn(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error("The server sends a length that is no number.");
  return Number(text);
}
