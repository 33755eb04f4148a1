/** An error reply. */
export class ErrorReply {
  constructor(readonly text: string) {}
}

/** A simple string, such as `+OK`. */
export class Status {
  constructor(readonly text: string) {}
}

export type Reply = null | number | string | Buffer | ErrorReply | Status | readonly Reply[] | Map<string, Reply>;

/** `reply` as RESP3 has it. */
export function encodeReply(reply: Reply): Buffer {
  if (reply === null) return Buffer.from("_\r\n");
  if (typeof reply === "number") return Buffer.from(`:${reply}\r\n`);
  if (reply instanceof Status) return Buffer.from(`+${reply.text}\r\n`);
  if (reply instanceof ErrorReply) return Buffer.from(`-${reply.text}\r\n`);
  if (reply instanceof Map) {
    const fields = [...reply].flatMap(([key, value]) => [encodeReply(key), encodeReply(value)]);
    return Buffer.concat([Buffer.from(`%${reply.size}\r\n`), ...fields]);
  }
  if (typeof reply === "string" || Buffer.isBuffer(reply)) {
    const bytes = Buffer.from(reply as string);
    return Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);
  }
  return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(encodeReply)]);
}

/** Cuts what a client sends into its commands. */
export class CommandReader {
  #rest = Buffer.alloc(0);

  /** The commands that `chunk` completes, each a list of arguments. */
  read(chunk: Buffer): Buffer[][] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const commands: Buffer[][] = [];
    for (let command = this.#next(); command !== null; command = this.#next()) commands.push(command);
    return commands;
  }

  #next(): Buffer[] | null {
    const head = this.#line(0);
    if (head === null) return null;
    const args: Buffer[] = [];
    let at = head.end;
    for (let i = 0; i < head.number; i++) {
      const length = this.#line(at);
      if (length === null || this.#rest.length < length.end + length.number + 2) return null;
      args.push(Buffer.from(this.#rest.subarray(length.end, length.end + length.number)));
      at = length.end + length.number + 2;
    }
    this.#rest = this.#rest.subarray(at);
    return args;
  }

  /** The number after the type byte at `start`, and where its line ends. */
  #line(start: number): { number: number; end: number } | null {
    const end = this.#rest.indexOf("\r\n", start);
    return end === -1 ? null : { number: Number(this.#rest.toString("latin1", start + 1, end)), end: end + 2 };
  }
}
