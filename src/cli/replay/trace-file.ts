import { open, type FileHandle } from "node:fs/promises";
import { reasonOf } from "../../errors/factory-errors.js";
import { CliError } from "../cli-error.js";
import { ExitCode } from "../exit-code.js";
import { parseTraceRequest, type TraceRequest } from "./trace-request.js";

/** Longest line that is read, in UTF-16 units: a file without line ends is no trace, and would fill the memory. */
const MAX_LINE_LENGTH = 16 * 2 ** 20;

/** A request trace: JSON lines, read as a stream. Empty lines are skipped. */
export class TraceFile {
  readonly path: string;
  /** Bytes of the file; 0 when it has no size, as a pipe. */
  readonly size: number;
  readonly #handle: FileHandle;
  #bytesRead = 0;

  private constructor(path: string, size: number, handle: FileHandle) {
    this.path = path;
    this.size = size;
    this.#handle = handle;
  }

  /** @throws CliError when the file cannot be read. */
  static async open(path: string): Promise<TraceFile> {
    try {
      const handle = await open(path);
      const { size } = await handle.stat();
      return new TraceFile(path, size, handle);
    } catch (error) {
      throw unreadable(error);
    }
  }

  get bytesRead(): number {
    return this.#bytesRead;
  }

  /**
   * @throws CliError on a line that is no request, or is longer than 16 Mi characters, with its number, from 1; or when
   *   the file cannot be read on.
   */
  async *requests(): AsyncGenerator<TraceRequest> {
    let number = 0;
    for await (const line of this.#lines()) {
      number++;
      if (line.length > MAX_LINE_LENGTH) throw this.#badLine(number, `it is longer than ${MAX_LINE_LENGTH} characters`);
      if (line.trim() === "") continue;
      yield this.#parse(line, number);
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  #parse(line: string, number: number): TraceRequest {
    try {
      return parseTraceRequest(number === 1 ? line.replace(/^\uFEFF/, "") : line);
    } catch (error) {
      throw this.#badLine(number, reasonOf(error));
    }
  }

  #badLine(number: number, reason: string): CliError {
    return new CliError(ExitCode.CheckFailed, `${this.path}:${number}: bad line: ${reason}`, { line: number });
  }

  /** Of a line that is too long, only as much as it takes to see that. */
  async *#lines(): AsyncGenerator<string> {
    const chunks = this.#handle.createReadStream({ encoding: "utf8", autoClose: false });
    let rest = "";
    try {
      for await (const chunk of chunks as AsyncIterable<string>) {
        this.#bytesRead = chunks.bytesRead;
        // Only the chunk is searched: what is left of those before has no line end.
        const [end = "", ...others] = chunk.split("\n");
        rest += end;
        for (const next of others) {
          yield rest;
          rest = next;
        }
        if (rest.length > MAX_LINE_LENGTH) break;
      }
    } catch (error) {
      throw unreadable(error);
    }
    if (rest !== "") yield rest;
  }
}

function unreadable(error: unknown): CliError {
  return new CliError(ExitCode.Usage, `The trace cannot be read: ${reasonOf(error)}`);
}
