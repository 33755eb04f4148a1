import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
/** Of 20 ms each. */
const TRIES = 500;

/** A `redis-server` of a bench's own, on loopback, without persistence. */
export class PrivateRedis {
  #process;
  #folder;

  /** @param {import("node:child_process").ChildProcess} process @param {number} port @param {string} folder */
  constructor(process, port, folder) {
    this.#process = process;
    this.#folder = folder;
    this.port = port;
    this.url = `redis://127.0.0.1:${port}`;
  }

  /** `null` where there is no `redis-server`. */
  static async start() {
    if (await run("redis-server", ["--version"]).catch(() => null)) {
      const [port, folder] = [await freePort(), await mkdtemp(join(tmpdir(), "kvtier-redis-"))];
      const args = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, "--save", "", "--appendonly", "no"];
      const server = new PrivateRedis(spawn("redis-server", args, { stdio: "ignore" }), port, folder);
      for (let i = 0; i < TRIES && !(await accepts(port)); i++) await pause(20);
      return server;
    }
    return null;
  }

  /**
   * GB/s of `redis-benchmark` with these commands in flight.
   *
   * @param {{ bytes: number, count: number, connections: number, pipeline: number }} load
   */
  async benchmark({ bytes, count, connections, pipeline }) {
    const sizes = ["-d", String(bytes), "-n", String(count), "-r", String(count)];
    const flight = ["-c", String(connections), "-P", String(pipeline)];
    const args = ["-p", String(this.port), "-t", "set,get", "--csv", ...sizes, ...flight];
    const { stdout } = await run("redis-benchmark", args);
    const perSecond = (/** @type {string} */ name) =>
      Number(new RegExp(`^"${name}","([\\d.]+)"`, "m").exec(stdout)?.[1]);
    return { store: (perSecond("SET") * bytes) / 1e9, load: (perSecond("GET") * bytes) / 1e9 };
  }

  async close() {
    const gone = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await gone;
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** @param {number} port @returns {Promise<boolean>} */
async function accepts(port) {
  const socket = connect(port, "127.0.0.1");
  const isThere = new Promise((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  });
  return isThere.finally(() => socket.destroy());
}
