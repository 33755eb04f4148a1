// The application's modules as they are, with the tier that needs a disk replaced in three lines.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { INestApplication } from "@nestjs/common";
import { Test } from "@nestjs/testing";
import { ExampleTier, tierToken } from "kvtier";
import { AppModule } from "./app.module.js";
import { Audit, ConfiguredModule } from "./configured.module.js";
import { SpeculativeDecoder, TwoCachesModule } from "./two-caches.module.js";

let app: INestApplication;

beforeEach(async () => {
  const testing = await Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(tierToken("fs"))
    .useClass(ExampleTier)
    .compile();
  app = testing.createNestApplication();
  await app.listen(0);
});

afterEach(() => app.close());

async function complete(tokens: readonly number[]): Promise<unknown> {
  const body = JSON.stringify({ tokens });
  const headers = { "content-type": "application/json" };
  return (await fetch(`${await app.getUrl()}/prompts`, { method: "POST", headers, body })).json();
}

test("a prompt that was served is not computed again", async () => {
  const prompt = Array.from({ length: 64 }, (_, i) => i);
  expect(await complete(prompt)).toEqual({ promptTokens: 64, cachedTokens: 0 });
  expect(await complete(prompt)).toEqual({ promptTokens: 64, cachedTokens: 64 });
  expect(await complete([...prompt, 64, 65])).toEqual({ promptTokens: 66, cachedTokens: 64 });
});

test("the health check has each tier in its details", async () => {
  const response = await fetch(`${await app.getUrl()}/health`);
  expect(await response.json()).toMatchObject({
    status: "ok",
    details: { kv: { status: "up", degraded: [], tiers: { "1:fs": { status: "up" } } } },
  });
});

test("options come from the environment, and a tier gets what the application has", async () => {
  const testing = await Test.createTestingModule({ imports: [ConfiguredModule] }).compile();
  expect(testing.get(Audit, { strict: false }).opened).toEqual(["audited"]);
  await testing.close();
});

test("an override holds in each of several caches", async () => {
  const testing = await Test.createTestingModule({ imports: [TwoCachesModule] })
    .overrideProvider(tierToken("fs"))
    .useClass(ExampleTier)
    .compile();
  const { target, draft } = testing.get(SpeculativeDecoder);
  expect([target, draft].map((cache) => cache.stats().primary.capacityBlocks)).toEqual([64, 256]);
  await testing.close();
});
