import type { IncomingMessage } from "node:http";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { DashboardOptions } from "../../src/dashboard/dashboard-options.js";
import { dashboardSource, type DashboardSource } from "../../src/dashboard/dashboard-source.js";
import { createDashboardHandler } from "../../src/dashboard/create-dashboard-handler.js";
import type { StatsReply } from "../../src/dashboard/stats-reply.js";
import { createTestTiering, ManualClock, type TestTiering } from "../../src/testing/index.js";
import { hashBlocks } from "../../src/contracts/hash-blocks.js";
import { makeOffloadKey } from "../../src/contracts/offload-key.js";
import { httpAsk } from "../support/http-ask.js";
import { servePage } from "../support/page-rig.js";
import { recordingLogger } from "../support/recording-logger.js";

const TOKEN = "a-token-of-20-letters";
const BEARER = { authorization: `Bearer ${TOKEN}` };
const [KEY = makeOffloadKey("00")] = hashBlocks([1, 2], 2).map((hash) => makeOffloadKey(hash));
const BLOCK = new Uint8Array(4096).fill(3);

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Shown {
  readonly tiering: TestTiering;
  readonly origin: string;
  readonly lines: ReturnType<typeof recordingLogger>["lines"];
}

/** A cache called `main`, one block of which is in the pool and in its tier, and the page of it. */
async function show(
  options: DashboardOptions = {},
  prepare: (request: IncomingMessage) => void = () => {},
  change: (source: DashboardSource) => DashboardSource = (source) => source,
): Promise<Shown> {
  const tiering = await createTestTiering();
  ends.push(tiering.close);
  await tiering.cache.put([KEY], [BLOCK]);
  await tiering.cache.flush();
  const { logger, lines } = recordingLogger();
  const source = change(dashboardSource("main", tiering.container));
  const { origin, close } = await servePage([source], { clock: tiering.clock, logger, ...options }, { prepare });
  ends.push(close);
  return { tiering, origin, lines };
}

describe("the page's requests", () => {
  it("are answered with the page, whose policy lets nothing in from elsewhere", async () => {
    const { origin } = await show();
    const { status, headers, body } = await httpAsk(`${origin}/`);
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain("<title>kvtier</title>");
    expect(headers["content-security-policy"]).toContain("default-src 'self'");
  });

  it.each(["/", "/main.js", "/style.css", "/icon.svg", "/stats.json", "/clear"])(
    "are answered with every guard on, and to no other site: %s",
    async (path) => {
      const { origin } = await show({ token: TOKEN });
      for (const method of ["GET", "HEAD", "POST", "OPTIONS"]) {
        const { headers } = await httpAsk(origin + path, method, { origin: "http://evil.example" });
        expect(headers).toMatchObject({
          "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY",
          "referrer-policy": "no-referrer",
          "cross-origin-resource-policy": "same-origin",
          "cache-control": "no-store",
        });
        expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
      }
    },
  );

  it.each([
    "/x",
    "/index.html",
    "/page-files.js",
    "/../dashboard/reply.js",
    "/tsconfig.json",
    "/clear",
    "//",
    "/constructor",
  ])("are not those for %s, which are left to the application", async (path) => {
    const { origin } = await show();
    expect(await httpAsk(origin + path)).toMatchObject({ status: 404, body: "elsewhere" });
  });

  it("may only look", async () => {
    const { origin } = await show();
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      expect(await httpAsk(`${origin}/stats.json`, method)).toMatchObject({
        status: 405,
        headers: { allow: "GET, HEAD" },
      });
    }
    expect(await httpAsk(`${origin}/stats.json`, "HEAD")).toMatchObject({ status: 200, body: "" });
  });

  it.each(["/", "/stats.json", "/clear"])("under a foreign name are refused: %s", async (path) => {
    const { origin, tiering } = await show({ token: TOKEN });
    for (const method of ["GET", "POST"]) {
      const { status, body } = await httpAsk(origin + path, method, { ...BEARER, host: "evil.example" });
      expect(status).toBe(403);
      expect(body).not.toContain("kvtier");
    }
    expect(tiering.manager.isResident(KEY)).toBe(true);
  });

  it("under a name that is allowed are answered", async () => {
    const { origin } = await show({ allowedHosts: ["kv.example.org"] });
    expect(await httpAsk(`${origin}/`, "GET", { host: "kv.example.org:8080" })).toMatchObject({ status: 200 });
  });
});

describe("a page below a path", () => {
  it.each(["/ops/kv", "ops/kv/", "//ops//kv//"])(
    "is found there, and sent there without its slash: %s",
    async (basePath) => {
      const { origin } = await show({ basePath });
      expect(await httpAsk(`${origin}/ops/kv/`)).toMatchObject({ status: 200 });
      expect(await httpAsk(`${origin}/ops/kv/stats.json`)).toMatchObject({ status: 200 });
      expect(await httpAsk(`${origin}/ops/kv?x`)).toMatchObject({ status: 308, headers: { location: "./kv/" } });
      for (const path of ["/", "/stats.json", "/ops/kvx", "/ops"]) {
        expect(await httpAsk(origin + path)).toMatchObject({ status: 404, body: "elsewhere" });
      }
    },
  );

  it("is found by the whole path also where a framework has cut the request's", async () => {
    const { origin } = await show({ basePath: "/ops" }, (request) => {
      Object.assign(request, { originalUrl: request.url, url: request.url?.slice("/ops".length) });
    });
    expect(await httpAsk(`${origin}/ops/stats.json`)).toMatchObject({ status: 200 });
    expect(await httpAsk(`${origin}/ops`)).toMatchObject({ status: 308 });
  });
});

describe("the figures", () => {
  const figures = async (origin: string, query = ""): Promise<StatsReply> =>
    JSON.parse((await httpAsk(`${origin}/stats.json${query}`)).body) as StatsReply;

  it("are cumulative, with what changed second by second", async () => {
    const { origin, tiering } = await show();
    await tiering.cache.get([KEY]);
    tiering.clock.advance(2);
    const { caches, last, canClear } = await figures(origin);
    expect([last, canClear]).toEqual([2, false]);
    expect(caches).toMatchObject([
      {
        name: "main",
        blockBytes: 4096,
        stats: { primary: { label: "0:primary", hits: 1 }, tiers: [{ label: "1:example", bytesWritten: 4096 }] },
        samples: { dtS: [1, 1], pool: { hits: [1, 0], bytesLoaded: [4096, 0] } },
      },
    ]);
  });

  it("go on from where the page was", async () => {
    const { origin, tiering } = await show();
    tiering.clock.advance(2);
    const { epoch, last } = await figures(origin);
    tiering.clock.advance(1);
    const next = await figures(origin, `?epoch=${epoch}&since=${last}`);
    expect([next.last, next.caches[0]?.samples.dtS]).toEqual([3, [1]]);
  });

  it("are those of every cache", async () => {
    const { tiering } = await show();
    const [a, b] = ["a", "b"].map((name) => dashboardSource(name, tiering.container));
    const { origin, close } = await servePage(
      [a, b].flatMap((one) => one ?? []),
      { clock: tiering.clock },
    );
    ends.push(close);
    expect((await figures(origin)).caches.map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it("are still there when the cache is closed", async () => {
    const { origin, tiering } = await show();
    await tiering.close();
    tiering.clock.advance(1);
    expect((await figures(origin)).last).toBe(1);
  });
});

describe("the control", () => {
  it("is not there without a token", async () => {
    const { origin, tiering } = await show({ token: "" });
    expect(await httpAsk(`${origin}/clear?cache=main`, "POST", BEARER)).toMatchObject({
      status: 404,
      body: "elsewhere",
    });
    expect(tiering.manager.isResident(KEY)).toBe(true);
  });

  it.each([{}, { authorization: "Bearer wrong" }, { authorization: `Basic ${TOKEN}` }, { cookie: `token=${TOKEN}` }])(
    "does nothing for who sends %j",
    async (headers) => {
      const { origin, tiering } = await show({ token: TOKEN });
      const answer = await httpAsk(`${origin}/clear?cache=main&token=${TOKEN}`, "POST", headers);
      expect(answer).toMatchObject({ status: 401, headers: { "www-authenticate": "Bearer" } });
      expect(tiering.manager.isResident(KEY)).toBe(true);
    },
  );

  it("clears the pool, and leaves the tiers what they hold", async () => {
    const { origin, tiering } = await show({ token: TOKEN });
    const { status, body } = await httpAsk(`${origin}/clear?cache=main`, "POST", BEARER);
    expect([status, JSON.parse(body)]).toEqual([200, { tiers: [{ index: 0, cleared: false, unfinished: [] }] }]);
    expect(tiering.manager.isResident(KEY)).toBe(false);
    expect(await tiering.cache.get([KEY])).toHaveLength(1);
  });

  it("clears the tiers when that is asked for", async () => {
    const { origin, tiering } = await show({ token: TOKEN });
    const { body } = await httpAsk(`${origin}/clear?cache=main&tiers=true`, "POST", BEARER);
    expect(JSON.parse(body)).toEqual({ tiers: [{ index: 0, cleared: true, unfinished: [] }] });
    expect(await tiering.cache.get([KEY])).toHaveLength(0);
  });

  it("knows only the caches that are shown, and only POST", async () => {
    const { origin } = await show({ token: TOKEN });
    expect(await httpAsk(`${origin}/clear?cache=other`, "POST", BEARER)).toMatchObject({ status: 404 });
    expect(await httpAsk(`${origin}/clear?cache=main`, "GET", BEARER)).toMatchObject({
      status: 405,
      headers: { allow: "POST" },
    });
  });

  it("says by its code why it failed, and the rest to the log", async () => {
    const { origin, tiering, lines } = await show({ token: TOKEN });
    await tiering.close();
    const { status, body } = await httpAsk(`${origin}/clear?cache=main`, "POST", BEARER);
    expect([status, JSON.parse(body)]).toEqual([500, { error: expect.stringContaining("(CLOSED)") }]);
    expect(lines).toMatchObject([{ level: "error", fields: { cache: "main" } }]);
  });

  it("shows nothing of an error that is not ours", async () => {
    const { origin } = await show({ token: TOKEN }, undefined, (source) => ({
      ...source,
      reset: async () => Promise.reject(new Error("redis://user:hunter2@host")),
    }));
    const { status, body } = await httpAsk(`${origin}/clear?cache=main`, "POST", BEARER);
    expect(status).toBe(500);
    expect(body).not.toContain("hunter2");
  });
});

describe("a page that cannot be", () => {
  const source = async (name: string): Promise<DashboardSource> => {
    const tiering = await createTestTiering();
    ends.push(tiering.close);
    return dashboardSource(name, tiering.container);
  };

  it("is refused without a cache, and with two of one name", async () => {
    const invalid = expect.objectContaining({ code: "INVALID_STATE" });
    expect(() => createDashboardHandler([])).toThrow(invalid);
    const main = await source("main");
    expect(() => createDashboardHandler([main, main])).toThrow(invalid);
  });

  it("is refused with a token that can be guessed, which is not named", async () => {
    const main = await source("main");
    expect(() => createDashboardHandler([main], { token: "sesame" })).toThrow(/at least 16 characters/);
    expect(() => createDashboardHandler([main], { token: "sesame" })).not.toThrow(/sesame/);
  });

  it("keeps no timer once it is closed", async () => {
    const clock = new ManualClock();
    const handler = createDashboardHandler([await source("main")], { clock });
    expect(clock.pendingTimers).toBe(1);
    handler.close();
    handler.close();
    expect(clock.pendingTimers).toBe(0);
  });
});
