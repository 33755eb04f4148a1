import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { createDashboardHandler, type DashboardHandler } from "../../src/dashboard/create-dashboard-handler.js";
import { dashboardSource, type DashboardSource } from "../../src/dashboard/dashboard-source.js";
import { createTestTiering, type TestTiering } from "../../src/testing/index.js";
import { httpAsk } from "../support/http-ask.js";
import { LoopbackServer } from "../support/loopback-server.js";
import { recordingLogger } from "../support/recording-logger.js";

const TOKEN = "a-token-of-20-letters";
const BEARER = { authorization: `Bearer ${TOKEN}` };

describe("an answer of the page that cannot be given", () => {
  let tiering: TestTiering;
  let source: DashboardSource;
  beforeEach(async () => {
    tiering = await createTestTiering();
    source = dashboardSource("main", tiering.container);
  });
  afterEach(() => tiering.close());

  const { logger, lines } = recordingLogger();

  /** Asks a server that answers with 503 by itself, unless the page has answered at once. */
  async function ask(handler: DashboardHandler, method: string, path: string): Promise<number | undefined> {
    const server = new LoopbackServer((request, response) => {
      handler(request, response);
      if (!response.headersSent) response.writeHead(503).end("too late");
    });
    await server.listen();
    const { status } = await httpAsk(`${server.origin}${path}`, method, BEARER);
    await server.close();
    return status;
  }

  it("is logged, when a tier of the application tells what cannot be sent", async () => {
    const odd: DashboardSource = { ...source, stats: () => ({ ...source.stats(), odd: 1n }) };
    const handler = createDashboardHandler([odd], { clock: tiering.clock, logger });
    expect(await ask(handler, "GET", "/stats.json")).toBe(500);
    expect(lines).toMatchObject([{ level: "error", message: "The dashboard cannot answer" }]);
    handler.close();
  });

  it("is dropped, when somebody else has answered while a cache was cleared", async () => {
    let clear = (): void => {};
    const cleared = new Promise<void>((resolve) => (clear = resolve));
    const slow: DashboardSource = { ...source, reset: () => cleared.then(() => ({ tiers: [] })) };
    const handler = createDashboardHandler([slow], { clock: tiering.clock, logger, token: TOKEN });
    expect(await ask(handler, "POST", "/clear?cache=main")).toBe(503);
    const faults: unknown[] = [];
    const note = (fault: unknown): void => void faults.push(fault);
    process.on("unhandledRejection", note);
    clear();
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", note);
    expect(faults).toEqual([]);
    handler.close();
  });
});
