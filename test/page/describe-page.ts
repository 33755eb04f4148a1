import { afterAll, afterEach, beforeAll, expect } from "@jest/globals";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { DashboardOptions } from "../../src/dashboard/dashboard-options.js";
import { describeChromium, launchChromium } from "../support/browser.js";
import { servePage, type PageRig } from "../support/page-rig.js";
import { WatchedCache } from "./watched-cache.js";

/** The page in a browser, of caches to which nothing has happened yet. */
export interface ShownPage {
  readonly page: Page;
  /** The first of them. */
  readonly cache: WatchedCache;
  readonly rig: PageRig;
  /** From now on the browser may complain of this: it is what the test is about. */
  readonly forgive: (text: string) => void;
}

export interface ShowOptions extends DashboardOptions {
  /** Of the caches; absent: one, `main`. */
  readonly names?: readonly string[];
}

export type Show = (options?: ShowOptions, view?: BrowserContextOptions) => Promise<ShownPage>;

/**
 * As `describe`, with a browser. After each test it has complained of nothing, and asked nobody but the page's server.
 *
 * @param body gets what opens the page
 */
export function describePage(name: string, body: (show: Show) => void): void {
  describeChromium(name, () => {
    let browser: Browser | undefined;
    let faults: string[] = [];
    let forgiven: string[] = [];
    const ends: (() => Promise<void>)[] = [];

    beforeAll(async () => void (browser = await launchChromium()));
    afterAll(async () => browser?.close());
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
      const left = faults.filter((fault) => !forgiven.some((text) => fault.includes(text)));
      [faults, forgiven] = [[], []];
      expect(left).toEqual([]);
    });

    body(async ({ names = ["main"], ...options } = {}, view = {}) => {
      const caches = await Promise.all(names.map((one) => WatchedCache.open(one)));
      for (const { tiering } of caches) ends.push(tiering.close);
      const [cache] = caches;
      if (cache === undefined || browser === undefined) throw new Error("There is no cache, or no browser.");
      const sources = caches.map(({ source }) => source);
      const rig = await servePage(sources, { clock: cache.tiering.clock, ...options });
      ends.push(rig.close);
      const context = await browser.newContext({ reducedMotion: "no-preference", ...view });
      ends.push(() => context.close());
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) faults.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(`${rig.origin}/`)) faults.push(`It asked ${request.url()}`);
      });
      await page.goto(`${rig.origin}/`);
      await page.locator("body[data-state=live]").waitFor();
      return { page, cache, rig, forgive: (text) => void forgiven.push(text) };
    });
  });
}

/** Waits until `within` shows the text. */
export async function has(within: Page | Locator, text: string | RegExp): Promise<void> {
  await within.getByText(text).first().waitFor({ state: "visible" });
}

/** The row of a tier, or of the pool, in the table. */
export function rowOf(page: Page, label: string): Locator {
  return page.getByRole("row", { name: label });
}

/** What of a chart is focused. */
export function chart(page: Page, title: string): Locator {
  return page.getByRole("slider", { name: `${title}: moment to read` });
}
