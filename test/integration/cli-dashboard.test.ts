import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import type { StatsReply } from "../../src/dashboard/stats-reply.js";
import { brokenTier, configOf, fileIn, kvtier, traceOf, type CliRun } from "../support/cli-run.js";
import { DashboardRun } from "../support/dashboard-run.js";
import { httpAsk } from "../support/http-ask.js";
import { withTempFolder } from "../support/temp-folder.js";

const TOKEN = "a-token-of-20-letters";
const CONFIG = configOf(8, { type: "example" });
const REQUESTS = [
  [1, 2, 3],
  [1, 2, 3, 4],
  [1, 2],
];

interface Choice {
  readonly config?: object;
  readonly trace?: string;
  readonly args?: readonly string[];
}

/** Runs the command, uses the page, and interrupts it. */
async function withPage(choice: Choice, body: (run: DashboardRun) => Promise<void>): Promise<CliRun> {
  return withTempFolder(async (folder) => {
    const { config = CONFIG, trace, args = [] } = choice;
    const traceArgs = trace === undefined ? [] : ["--trace", await fileIn(folder, "t.jsonl", trace)];
    const run = await DashboardRun.start(await fileIn(folder, "c.json", config), [...args, ...traceArgs], {
      SET: TOKEN,
    });
    try {
      await body(run);
    } finally {
      await run.interrupt();
    }
    return run.interrupt();
  });
}

/** Runs the command where it must fail before there is a page. */
async function refused(args: readonly string[], config: object = CONFIG): Promise<CliRun> {
  return withTempFolder(async (folder) => {
    return kvtier("dashboard", "--port", "0", "--config", await fileIn(folder, "c.json", config), ...args);
  });
}

describe("kvtier dashboard", () => {
  it("serves the page for this machine alone until it is interrupted", async () => {
    let url = "";
    const { code, out, err } = await withPage({}, async (run) => {
      ({ url } = run);
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
      expect((await httpAsk(url)).status).toBe(200);
      const stats = JSON.parse((await httpAsk(`${url}stats.json`)).body) as StatsReply;
      expect(stats).toMatchObject({ canClear: false, caches: [{ name: "m", blockBytes: 1000 }] });
      expect(await httpAsk(`${url}x`)).toMatchObject({ status: 404, headers: { "x-content-type-options": "nosniff" } });
    });
    expect([code, JSON.parse(out), err]).toEqual([0, { url }, ""]);
    await expect(httpAsk(url)).rejects.toThrow();
  });

  it("runs a trace through the tiers, and stays when it is over", async () => {
    const { code } = await withPage({ trace: traceOf(REQUESTS) }, async (run) => {
      await run.noted("3 requests were run, prefix hit rate 55.56 %");
      expect((await httpAsk(run.url)).status).toBe(200);
    });
    expect(code).toBe(0);
  });

  it("runs a demo that ends in the middle when it is interrupted", async () => {
    const { code, err } = await withPage({ args: ["--demo"] }, async () => {});
    expect(code).toBe(0);
    expect(err).toMatch(/^(?:kvtier: [\d,]+ requests were run, .*\n)?$/);
  });

  it("fails in the end when a byte was wrong, and says so at once", async () => {
    const trace = traceOf([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [1, 2],
    ]);
    const config = configOf(6, brokenTier("FlippingTier"));
    const { code } = await withPage({ trace, config }, async (run) => run.noted("served by 1:FlippingTier"));
    expect(code).toBe(1);
  });

  it("fails in the end when a line of the trace was bad", async () => {
    const { code } = await withPage({ trace: "{}\n" }, async (run) => run.noted("t.jsonl:1: bad line"));
    expect(code).toBe(1);
  });

  it("clears the cache for who knows the token of the environment, which it shows nowhere", async () => {
    const { out, err } = await withPage({ args: ["--token-env", "SET"] }, async ({ url }) => {
      const ask = (token: string) =>
        httpAsk(`${url}clear?cache=m&tiers=true`, "POST", { authorization: `Bearer ${token}` });
      expect((await ask("another-token-of-many-letters")).status).toBe(401);
      expect((await ask(TOKEN)).status).toBe(200);
      for (const path of ["", "stats.json"]) expect((await httpAsk(url + path)).body).not.toContain(TOKEN);
    });
    expect(out + err).not.toContain(TOKEN);
  });

  it("shows no secret of the config", async () => {
    const config = configOf(8, brokenTier("SoundTier", { api_key: "hunter2hunter2", url: "http://u:pass1234@host" }));
    await withPage({ config }, async ({ url }) => {
      const { body } = await httpAsk(`${url}stats.json`);
      expect(body).toContain("1:SoundTier");
      expect(body).not.toMatch(/hunter2|pass1234/);
    });
  });

  it("is asked for by a name that it was told of", async () => {
    await withPage({ args: ["--allow-host", "kv.example.org"] }, async ({ url }) => {
      expect((await httpAsk(url, "GET", { host: "kv.example.org" })).status).toBe(200);
      expect((await httpAsk(url, "GET", { host: "evil.example" })).status).toBe(403);
    });
  });

  it("says so when others may reach it", async () => {
    const { err } = await withPage({ args: ["--host", "0.0.0.0"] }, async ({ url }) => {
      expect(url).toMatch(/^http:\/\/localhost:\d+\/$/);
    });
    expect(err).toContain("whoever can reach this address can look at the page");
  });

  it.each([
    [["--token-env", "UNSET"], 2, "The environment variable UNSET, which --token-env names, is not set."],
    [["--demo", "--trace", "t"], 2, "cannot be used with option"],
    [["--port", "70000"], 2, "It must be a port, 0 to 65535."],
    [["--trace", "/nowhere.jsonl"], 2, "The trace cannot be read"],
    [["--host", "256.0.0.1"], 1, "The page cannot be served at 256.0.0.1"],
  ])("refuses %j", async (args, expected, message) => {
    const { code, err } = await refused(args);
    expect(code).toBe(expected);
    expect(err).toContain(message);
  });

  it("refuses a config with faults", async () => {
    expect(await refused([], { ...CONFIG, block_bytes: 0 })).toMatchObject({ code: 3 });
  });

  it("says which port is taken, and what helps", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const { code, err } = await refused(["--port", String(port)]);
    other.close();
    expect(code).toBe(1);
    expect(err).toContain(`port ${port}`);
    expect(err).toContain("--port 0");
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends cleanly as a process by %s", async (signal) => {
    await withTempFolder(async (folder) => {
      const register = new URL("../support/register-ts.js", import.meta.url).href;
      const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
      const config = await fileIn(folder, "c.json", configOf(8, { type: "fs", root_dir: folder }));
      const args = ["dashboard", "--config", config, "--port", "0", "--demo"];
      const child = spawn(process.execPath, ["--no-warnings", "--import", register, main, ...args]);
      try {
        await once(child.stdout, "data");
        child.kill(signal);
        expect(await once(child, "exit")).toEqual([0, null]);
      } finally {
        child.kill("SIGKILL");
      }
    });
  });
});
