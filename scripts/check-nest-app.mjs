// The NestJS example as an application of its own, from the installed package: compiled, started, asked, stopped by a
// signal, and started again, to find the blocks of its first life.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, writeFileSync } from "node:fs";
import path from "node:path";

const PROMPT = Array.from({ length: 64 }, (_, i) => i);
/** A server that does not get that far within this time, in milliseconds, never will. */
const PATIENCE_MS = 120_000;

/**
 * @param {string} project folder in which kvtier and Nest are installed
 * @param {"module" | "commonjs"} type of the application's package
 * @param {readonly string[]} tscFlags
 * @returns {Promise<string>} what there is to say of it
 */
export async function checkNestApp(project, type, tscFlags) {
  const app = path.join(project, `nest-${type}`);
  cpSync(path.join(project, "node_modules/kvtier/examples/09-nest"), app, {
    recursive: true,
    filter: (file) => !file.endsWith(".test.ts"),
  });
  writeFileSync(path.join(app, "package.json"), JSON.stringify({ name: "nest-app", private: true, type }));
  const sources = ["server.ts", "configured.module.ts", "two-caches.module.ts"];
  const flags = [...tscFlags, "--skipLibCheck", "--emitDecoratorMetadata"];
  execFileSync("npx", ["--no-install", "tsc", ...flags, ...sources], { cwd: app, stdio: "inherit" });

  const [first, second] = [await serve(app), await serve(app)];
  const wrong = first.cachedTokens !== 0 || second.cachedTokens !== PROMPT.length;
  if (wrong) throw new Error(`Cached were ${first.cachedTokens} tokens, and ${second.cachedTokens} after a restart.`);
  return `${second.cachedTokens} of ${second.promptTokens} tokens cached after a restart`;
}

/**
 * One life of the server: a prompt, a health check, and SIGTERM.
 *
 * @param {string} app
 * @returns {Promise<{ promptTokens: number, cachedTokens: number }>}
 */
async function serve(app) {
  const env = { ...process.env, PORT: "0" };
  const server = spawn(process.execPath, ["server.js"], { cwd: app, env, stdio: ["ignore", "pipe", "inherit"] });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const ended = once(server, "exit");
  try {
    const url = await Promise.race([listening(server.stdout), ended, once(signal, "abort")]);
    if (typeof url !== "string") throw new Error("The server did not start.");
    const body = JSON.stringify({ tokens: PROMPT });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/prompts`, { method: "POST", headers, body, signal });
    const health = await (await fetch(`${url}/health`, { signal })).text();
    if (!health.includes('"1:fs":{"status":"up"}')) throw new Error(`Its health: ${health}`);
    const cached = /** @type {{ promptTokens: number, cachedTokens: number }} */ (await answer.json());
    server.kill("SIGTERM");
    if (!(await Promise.race([ended, once(signal, "abort").then(() => null)])))
      throw new Error("SIGTERM did not end it.");
    return cached;
  } finally {
    server.kill("SIGKILL");
  }
}

/**
 * @param {import("node:stream").Readable} output of the server
 * @returns {Promise<string>} its address, once it says it
 */
function listening(output) {
  return new Promise((resolve) => {
    let text = "";
    output.on("data", (chunk) => {
      text += chunk;
      const [, url] = /Listening on (\S+)/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}
