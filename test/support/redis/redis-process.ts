import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "../until.js";

const run = promisify(execFile);

/** A `redis-server` of a test's own, on loopback, without persistence. */
export class RedisProcess {
  readonly port: number;
  readonly #folder: string;
  readonly #args: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(port: number, folder: string, args: readonly string[]) {
    this.port = port;
    this.#folder = folder;
    this.#args = args;
  }

  /** @param args further arguments, such as `--maxmemory 10mb` */
  static async start(...args: string[]): Promise<RedisProcess> {
    const folder = await mkdtemp(join(tmpdir(), "kvtier-redis-"));
    const server = new RedisProcess(await freePort(), folder, args);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Starts it on its port; it holds nothing then. */
  async restart(): Promise<void> {
    const own = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.#folder];
    const args = [...own, "--save", "", "--appendonly", "no", ...this.#args];
    this.#process = spawn("redis-server", args, { stdio: "ignore" });
    this.#process.on("error", () => {});
    await until(`redis-server on port ${this.port}`, () => accepts(this.portToTry));
  }

  /** The port that takes connections: with `--port 0` in the arguments that is not {@link port}. */
  get portToTry(): number {
    const at = this.#args.indexOf("--tls-port");
    return at === -1 ? this.port : Number(this.#args[at + 1]);
  }

  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }

  thaw(): void {
    this.#process?.kill("SIGCONT");
  }

  /** Kills it, as a crash would. */
  async kill(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    if (process?.exitCode !== null) return;
    const gone = once(process, "exit");
    process.kill("SIGKILL");
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Connections of tiers. */
  async connections(): Promise<number> {
    return (await this.cli("CLIENT", "LIST")).split("\n").filter((line) => line.includes("name=kvtier")).length;
  }

  /** What `redis-cli` prints for a command. */
  async cli(...command: string[]): Promise<string> {
    return (await run("redis-cli", ["-p", String(this.port), ...command])).stdout.trim();
  }

  /** Runs commands one after the other, each of which must be answered with `OK`. */
  async script(commands: readonly string[]): Promise<void> {
    const ran = run("redis-cli", ["-p", String(this.port)]);
    ran.child.stdin?.end(commands.map((command) => `${command}\n`).join(""));
    const answers = (await ran).stdout.trim().split("\n");
    assert.deepEqual(
      answers,
      commands.map(() => "OK"),
    );
  }
}

const startNode = (args: readonly string[]): Promise<RedisProcess> =>
  RedisProcess.start("--cluster-enabled", "yes", "--cluster-node-timeout", "2000", ...args);

/** Starts three masters, and makes them a cluster. */
export async function startRedisCluster(...args: string[]): Promise<RedisProcess[]> {
  const nodes = await Promise.all([startNode(args), startNode(args), startNode(args)]);
  await run("redis-cli", ["--cluster", "create", ...nodes.map((node) => node.address), "--cluster-yes"]);
  for (const node of nodes) {
    await until("the cluster to be formed", async () => (await node.cli("CLUSTER", "INFO")).includes("state:ok"));
  }
  return nodes;
}

/** Starts a replica of the first of these masters, and waits until it follows and all know it. */
export async function startReplica(masters: readonly RedisProcess[], ...args: string[]): Promise<RedisProcess> {
  const [master] = masters;
  if (master === undefined) throw new TypeError("a cluster has masters");
  const replica = await startNode(args);
  const id = await master.cli("CLUSTER", "MYID");
  const how = ["--cluster-slave", "--cluster-master-id", id];
  await run("redis-cli", ["--cluster", "add-node", replica.address, master.address, ...how]);
  await until("the replica to follow", async () =>
    (await replica.cli("INFO", "replication")).includes("master_link_status:up"),
  );
  // Masters vote for replicas that they know.
  for (const node of masters) {
    await until("the replica to be known", async () => (await node.cli("CLUSTER", "NODES")).includes(` slave ${id} `));
  }
  return replica;
}

/** A port that is free, and so is the one of a cluster's bus that goes with it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    if (port + 10_000 < 65_536) return port;
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isThere = await new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  socket.destroy();
  return isThere;
}
