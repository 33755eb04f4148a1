import { once } from "node:events";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { CommandReader, encodeReply, ErrorReply, Status, type Reply } from "./resp.js";

/** Answers a command, given its arguments after the name. `undefined`: as the peer would have. */
export type Script = (args: readonly Buffer[], asking: boolean) => Reply | undefined;

interface Client {
  readonly socket: Socket;
  readonly reader: CommandReader;
  isIn: boolean;
  asking: boolean;
}

/**
 * A server that speaks RESP3 on loopback: a map of keys, and whatever a test scripts. It can freeze, which leaves its
 * sockets open and answers nothing, and go away and come back on its port.
 */
export class RespPeer {
  readonly data = new Map<string, Buffer>();
  /** Every command as it came, but for the greeting: name and first argument. */
  readonly seen: string[] = [];
  readonly #scripts = new Map<string, Script>();
  readonly #clients = new Set<Client>();
  readonly #held: (() => void)[] = [];
  readonly #password: string | null;
  #server: Server | null = null;
  #port = 0;
  #isFrozen = false;
  mode = "standalone";

  private constructor(password: string | null) {
    this.#password = password;
  }

  static async start(options: { password?: string } = {}): Promise<RespPeer> {
    const peer = new RespPeer(options.password ?? null);
    await peer.resume();
    return peer;
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  /** Sockets that are open. */
  get connections(): number {
    return this.#clients.size;
  }

  /** How often a command of this name came. */
  count(name: string): number {
    return this.seen.filter((line) => line.split(" ")[0] === name).length;
  }

  /** Answers commands of this name by `script` from now on. */
  on(name: string, script: Script): void {
    this.#scripts.set(name, script);
  }

  off(name: string): void {
    this.#scripts.delete(name);
  }

  /** Answers nothing from now on; sockets stay open, and new ones are accepted. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Answers again, first what came meanwhile. */
  thaw(): void {
    this.#isFrozen = false;
    for (const run of this.#held.splice(0)) run();
  }

  /** Hangs up, and listens no more. What it holds stays. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    this.hangUp();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  /** Ends every connection. */
  hangUp(): void {
    for (const { socket } of this.#clients) socket.destroy();
  }

  /** Listens again, on the same port. */
  async resume(): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  #accept(socket: Socket): void {
    const client: Client = { socket, reader: new CommandReader(), isIn: this.#password === null, asking: false };
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const run = (): void => {
        for (const command of client.reader.read(chunk)) socket.write(encodeReply(this.#answer(client, command)));
      };
      if (this.#isFrozen) this.#held.push(run);
      else run();
    });
  }

  #answer(client: Client, [head = Buffer.alloc(0), ...args]: readonly Buffer[]): Reply {
    const name = head.toString().toUpperCase();
    if (name === "HELLO") return this.#hello(client, args);
    if (!client.isIn) return new ErrorReply("NOAUTH Authentication required.");
    this.seen.push(`${name} ${args[0]?.toString() ?? ""}`.trim());
    const { asking } = client;
    client.asking = name === "ASKING";
    return this.#scripts.get(name)?.(args, asking) ?? this.#builtIn(name, args);
  }

  #hello(client: Client, args: readonly Buffer[]): Reply {
    const auth = args.findIndex((arg) => arg.toString().toUpperCase() === "AUTH");
    if (auth !== -1 && this.#password !== null) {
      client.isIn = args[auth + 2]?.toString() === this.#password;
      if (!client.isIn) return new ErrorReply("WRONGPASS invalid username-password pair or user is disabled.");
    }
    if (!client.isIn) return new ErrorReply("NOAUTH HELLO must be called with the client already authenticated");
    return new Map<string, Reply>([
      ["server", "redis"],
      ["proto", 3],
      ["mode", this.mode],
    ]);
  }

  #builtIn(name: string, args: readonly Buffer[]): Reply {
    const [key = "", value = Buffer.alloc(0)] = [args[0]?.toString(), args[1]];
    switch (name) {
      case "SET":
        this.data.set(key, value);
        return new Status("OK");
      case "GET":
      case "GETEX":
        return this.data.get(key) ?? null;
      case "EXISTS":
        return args.filter((arg) => this.data.has(arg.toString())).length;
      case "UNLINK":
        return args.filter((arg) => this.data.delete(arg.toString())).length;
      case "SCAN":
        return this.#scan(args.map(String));
      case "ASKING":
        return new Status("OK");
      default:
        return new ErrorReply(`ERR unknown command '${name}', with args beginning with: '${args.join("' '")}'`);
    }
  }

  /** One key at a time, so that the cursor is used. */
  #scan([cursor = "0", , pattern = "*"]: readonly string[]): Reply {
    const keys = [...this.data.keys()];
    const at = Number(cursor);
    const key = keys[at];
    const next = at + 1 < keys.length ? String(at + 1) : "0";
    return [next, key !== undefined && matches(pattern, key) ? [key] : []];
  }
}

/** A glob of literals, escapes, and a star. */
function matches(pattern: string, key: string): boolean {
  const source = pattern.replace(/\\(.)|(\*)|([^\w])/g, (_, escaped?: string, star?: string, other?: string) =>
    star !== undefined ? "[^]*" : `\\u${(escaped ?? other ?? "").charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return new RegExp(`^${source}$`).test(key);
}
