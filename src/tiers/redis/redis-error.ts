import { reasonOf } from "../../errors/factory-errors.js";
import { codeOf } from "../remote/code-of.js";

/** Text of a server's error that is kept. */
const MAX_TEXT = 300;
/** Servers quote commands that they do not know, with their arguments: blocks, or a password. */
const QUOTED_ARGUMENTS = /,? with args beginning with:[^]*/;
const CODE = /^([A-Z]{2,})(?= |$)/;
const REDIRECTION = /^(?:MOVED|ASK) \d+ (\S*):(\d+)$/;

/** Why a command failed. Its `code` is the first word of the server's error, or what became of the connection. */
export class RedisError extends Error {
  override readonly name = "RedisError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }

  /**
   * The error of a reply, or of the connection, with nothing in it that the command held.
   *
   * @param server which one, for people
   */
  static from(error: unknown, server: string): RedisError {
    if (error instanceof RedisError) return error;
    const text = reasonOf(error).replace(QUOTED_ARGUMENTS, "").replace(/\s+/g, " ").trim().slice(0, MAX_TEXT);
    const code = codeOf(error);
    return new RedisError(CODE.exec(text)?.[1] ?? (typeof code === "string" ? code : "FAILED"), `${server}: ${text}`);
  }
}

/** No connection, or the command was not answered. */
export const UNREACHABLE = "UNREACHABLE";
export const TIMED_OUT = "TIMED_OUT";

/** The server answers, and loads work, but it takes no blocks: it is full, or not allowed to write now. */
const REFUSED_WRITES: ReadonlySet<string> = new Set(["OOM", "MISCONF", "NOREPLICAS", "READONLY"]);

export function isRefusedWrite(error: unknown): boolean {
  return error instanceof RedisError && REFUSED_WRITES.has(error.code);
}

/** Another node has the key, for good (`MOVED`) or for this one command (`ASK`). */
export interface Redirection {
  readonly isMoved: boolean;
  /** `""`: the host that answered. */
  readonly host: string;
  readonly port: number;
}

/** @returns `null` when the error is none */
export function redirectionOf(reply: unknown): Redirection | null {
  if (!(reply instanceof Error)) return null;
  const [text, host, port] = REDIRECTION.exec(reply.message) ?? [];
  if (text === undefined || host === undefined) return null;
  return { isMoved: text.startsWith("MOVED"), host, port: Number(port) };
}
