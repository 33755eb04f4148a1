import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { Injectable, Module, type CanActivate, type DynamicModule, type INestApplication } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { StatsReply } from "../../src/dashboard/stats-reply.js";
import { getKvCacheToken, KvTierDashboardModule } from "../../src/nest/index.js";
import type { KvCache } from "../../src/cache/kv-cache.js";
import { httpAsk } from "../support/http-ask.js";
import { cacheModule, nestBlock, nestKeys } from "../support/nest-app.js";

const TOKEN = "a-token-of-20-letters";

@Injectable()
class Nobody implements CanActivate {
  canActivate(): boolean {
    return false;
  }
}

describe("KvTierDashboardModule", () => {
  const apps: INestApplication[] = [];
  afterEach(async () => void (await Promise.all(apps.splice(0).map((app) => app.close()))));

  /** @returns where the application listens */
  async function start(
    imports: readonly DynamicModule[],
    prepare: (app: INestApplication) => void = () => {},
  ): Promise<{ app: INestApplication; origin: string }> {
    const module = await Test.createTestingModule({ imports: [...imports] }).compile();
    const app = module.createNestApplication({ logger: false });
    apps.push(app);
    prepare(app);
    await app.listen(0, "127.0.0.1");
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    return { app, origin: `http://127.0.0.1:${port}` };
  }

  it("shows the caches of the application at /kvtier", async () => {
    const caches = [cacheModule(), cacheModule({ name: "draft" })];
    const { origin } = await start([...caches, KvTierDashboardModule.forRoot()]);
    expect(await httpAsk(`${origin}/kvtier`)).toMatchObject({ status: 308, headers: { location: "./kvtier/" } });
    const page = await httpAsk(`${origin}/kvtier/`);
    expect([page.status, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await httpAsk(`${origin}/kvtier/main.js`)).headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const stats = JSON.parse((await httpAsk(`${origin}/kvtier/stats.json`)).body) as StatsReply;
    expect(stats.caches.map(({ name }) => name)).toEqual(["default", "draft"]);
  });

  it("leaves what is none of the page's to the application", async () => {
    const { origin } = await start([cacheModule(), KvTierDashboardModule.forRoot()]);
    for (const path of ["/kvtier/x", "/kvtier/main.js/x", "/kvtier/clear"]) {
      expect((await httpAsk(origin + path)).status).toBe(404);
    }
  });

  it("lies at the path that it is given, below the global prefix", async () => {
    const { origin } = await start([cacheModule(), KvTierDashboardModule.forRoot({ path: "ops/kv" })], (app) => {
      app.setGlobalPrefix("api");
    });
    expect((await httpAsk(`${origin}/api/ops/kv/`)).status).toBe(200);
    expect(await httpAsk(`${origin}/api/ops/kv?x=1`)).toMatchObject({ status: 308, headers: { location: "./kv/" } });
  });

  it("is for whom guards let in, its own and those of the application", async () => {
    const own = await start([cacheModule(), KvTierDashboardModule.forRoot({ guards: [Nobody] })]);
    const global = await start([cacheModule(), KvTierDashboardModule.forRoot()], (app) => {
      app.useGlobalGuards(new Nobody());
    });
    for (const { origin } of [own, global]) {
      for (const path of ["/kvtier/", "/kvtier/stats.json"]) expect((await httpAsk(origin + path)).status).toBe(403);
    }
  });

  it("is refused under a foreign name", async () => {
    const { origin } = await start([
      cacheModule(),
      KvTierDashboardModule.forRoot({ allowedHosts: ["kv.example.org"] }),
    ]);
    expect((await httpAsk(`${origin}/kvtier/`, "GET", { host: "evil.example" })).status).toBe(403);
    expect((await httpAsk(`${origin}/kvtier/`, "GET", { host: "kv.example.org" })).status).toBe(200);
  });

  it("takes its token from a factory, and clears a cache for who knows it", async () => {
    @Module({ providers: [{ provide: "TOKEN", useValue: TOKEN }], exports: ["TOKEN"] })
    class Secrets {}
    const dashboard = KvTierDashboardModule.forRootAsync({
      imports: [Secrets],
      inject: ["TOKEN"],
      useFactory: (token: string) => ({ token }),
    });
    const { app, origin } = await start([cacheModule(), dashboard]);
    const cache = app.get<KvCache>(getKvCacheToken());
    await cache.put(nestKeys(1), [nestBlock(0)]);
    await cache.flush();
    const clear = (token: string) =>
      httpAsk(`${origin}/kvtier/clear?cache=default&tiers=true`, "POST", { authorization: `Bearer ${token}` });
    expect((await clear("another-token-of-many-letters")).status).toBe(401);
    expect((await clear(TOKEN)).status).toBe(200);
    expect(await cache.get(nestKeys(1))).toEqual([]);
  });

  it("does not start without a cache", async () => {
    await expect(start([KvTierDashboardModule.forRoot()])).rejects.toMatchObject({ code: "INVALID_STATE" });
    apps.splice(0);
  });
});
