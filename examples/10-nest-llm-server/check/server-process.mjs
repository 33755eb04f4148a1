import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** The server of this example as a process of its own. */
export class ServerProcess {
  #child;
  #url = "";
  #output = "";

  /** @param {Record<string, string>} env what is set for it */
  constructor(env) {
    this.#child = spawn(process.execPath, [MAIN], {
      env: { ...process.env, NO_COLOR: "1", ...env, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"],
    });
  }

  /** Resolves when it listens. */
  async ready() {
    const ended = once(this.#child, "exit").then(([code]) => {
      throw new Error(`The server ended with ${code} before it was ready:\n${this.#output}`);
    });
    ended.catch(() => undefined);
    const listening = new Promise((resolve) => {
      this.#child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
        this.#output += text;
        const [, url] = /^Ready: (\S+)$/m.exec(this.#output) ?? [];
        if (url !== undefined) resolve((this.#url = url));
      });
    });
    await Promise.race([listening, ended]);
    return this;
  }

  /** @param {object} request @returns {Promise<import("../dist/completions/completion-reply.js").CompletionReply>} */
  async complete(request) {
    return JSON.parse(await this.post(request));
  }

  /** The answer as it stands. @param {object} request */
  async post(request) {
    const response = await fetch(new URL("/v1/completions", this.#url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The server answered ${response.status}: ${text}`);
    return text;
  }

  /** @param {string} path */
  async get(path) {
    const response = await fetch(new URL(path, this.#url));
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    return response.text();
  }

  /** One series of its metrics. @param {string} series with its labels */
  async metric(series) {
    const line = (await this.get("/metrics")).split("\n").find((each) => each.startsWith(`${series} `));
    if (line === undefined) throw new Error(`There is no series ${series}.`);
    return Number(line.slice(series.length));
  }

  /** As an orchestrator does it; the tiers get what was stored. */
  async stop() {
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const [code, signal] = await exited;
    if (code !== 0 && signal !== "SIGTERM") throw new Error(`The server ended with ${code ?? signal}.`);
  }

  /** Whatever happens. */
  kill() {
    this.#child.kill("SIGKILL");
  }
}
