import { EventEmitter } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { encodeCommand, type BlockCommand } from "./encode-command.js";
import type { ClientSettings } from "./redis-client.js";
import { RespReader, type RespReply } from "./resp-reader.js";

/** Where the value goes that a command asks for: see `RespListener`. */
export type PlaceFor = (length: number) => readonly Uint8Array[] | null;

/** A command that is not answered. */
interface Waiting {
  readonly placeFor: PlaceFor | null;
  resolve(reply: RespReply): void;
  reject(error: Error): void;
}

/** Seconds of silence after which the system asks whether the other side is still there. */
const KEEP_ALIVE_S = 5;

/**
 * A connection that moves blocks between a server and their slots without a copy: what is stored is written from the slot,
 * and what is loaded is read into it. The package `redis` has no way to do either; it copies a value that is read twice,
 * through memory that is new each time, which for 2 MiB takes many times as long as the transfer.
 *
 * The memory of a command is in use until its promise settles, and never after: with an answer, or because the connection
 * has ended. Emits `error` once, when it ends by itself. It is not made again.
 */
export class BlockClient extends EventEmitter<{ error: [Error] }> {
  readonly #settings: ClientSettings;
  readonly #waiting: Waiting[] = [];
  readonly #reader = new RespReader({
    placeFor: (length) => this.#waiting[0]?.placeFor?.(length) ?? null,
    onReply: (reply) => this.#answered(reply),
  });
  #socket: Socket | null = null;
  #end: Error | null = null;
  #rejectConnect: (error: Error) => void = () => {};

  constructor(settings: ClientSettings) {
    super();
    this.#settings = settings;
  }

  /** Resolves when the server has let it in. */
  async connect(): Promise<void> {
    const isTls = this.#settings.socket.tls === true;
    const socket = this.#open(isTls);
    this.#socket = socket;
    socket.once("error", (error) => this.#failed(error));
    socket.once("close", () => this.#failed(new Error("The server closed the connection unexpectedly.")));
    await new Promise<void>((resolve, reject) => {
      this.#rejectConnect = reject;
      socket.once(isTls ? "secureConnect" : "connect", resolve);
    });
    await Promise.all(this.#greeting().map((command) => this.sendCommand(command)));
  }

  /** The reply; of a value how many bytes it has. Rejects with the server's error. */
  async sendCommand(command: BlockCommand, placeFor: PlaceFor | null = null): Promise<RespReply> {
    const socket = this.#socket;
    if (socket === null || this.#end !== null) throw this.#end ?? new Error("There is no connection.");
    return new Promise((resolve, reject) => {
      this.#waiting.push({ placeFor, resolve, reject });
      this.#write(socket, command);
    });
  }

  /** Keeps the process alive, as it does from the beginning. */
  ref(): void {
    this.#socket?.ref();
  }

  unref(): void {
    this.#socket?.unref();
  }

  /** Rejects what is out. May be called again. */
  destroy(): void {
    this.#ended(new Error("The connection was closed."));
  }

  #open(isTls: boolean): Socket {
    const onread = { buffer: () => this.#reader.target, callback: (count: number) => this.#read(count) };
    const keepAlive = { keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_S * 1000 };
    const options = { ...this.#settings.socket, ...keepAlive, noDelay: true, onread };
    return isTls ? connectTls(options) : connectTcp(options);
  }

  #greeting(): BlockCommand[] {
    const { name, username = "default", password, database = 0 } = this.#settings;
    const auth = password === undefined ? [] : ["AUTH", username, password];
    return [["HELLO", "3", ...auth, "SETNAME", name], ...(database === 0 ? [] : [["SELECT", String(database)]])];
  }

  /** What is sent in one turn of the event loop leaves together. */
  #write(socket: Socket, command: BlockCommand): void {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    for (const piece of encodeCommand(command)) socket.write(piece);
  }

  #read(count: number): boolean {
    try {
      this.#reader.took(count);
    } catch (error) {
      this.#failed(error instanceof Error ? error : new Error(String(error)));
    }
    return true;
  }

  #answered(reply: RespReply): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) throw new Error("The server answers what it was not asked.");
    if (reply instanceof Error) waiting.reject(reply);
    else waiting.resolve(reply);
  }

  #failed(error: Error): void {
    if (this.#ended(error)) this.emit("error", error);
  }

  /** The socket goes first: from then on nothing reads or writes the memory of those that are out. */
  #ended(error: Error): boolean {
    if (this.#end !== null) return false;
    this.#end = error;
    this.#socket?.destroy();
    this.#rejectConnect(error);
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
    return true;
  }
}
