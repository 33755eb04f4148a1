import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import type { DashboardOptions } from "../../src/dashboard/dashboard-options.js";
import { describeChromium, launchChromium } from "../support/browser.js";
import { servePage, type PageRig } from "../support/page-rig.js";
import { WatchedCache } from "./watched-cache.js";

const TOKEN = "a-token-of-20-letters";

describeChromium("the dashboard's page", () => {
  let browser: Browser;
  const ends: (() => Promise<void>)[] = [];
  /** What a browser complained of, and what left the page's origin. */
  let faults: string[] = [];

  beforeAll(async () => void (browser = await launchChromium()));
  afterAll(async () => browser?.close());
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
    expect(faults).toEqual([]);
    faults = [];
  });

  interface Shown {
    readonly page: Page;
    readonly caches: readonly WatchedCache[];
    readonly rig: PageRig;
  }

  /** Opens the page of caches called `names`, before any second has passed. */
  async function show(
    { names = ["main"], ...options }: DashboardOptions & { names?: readonly string[] } = {},
    view: BrowserContextOptions = {},
  ): Promise<Shown & { cache: WatchedCache }> {
    const caches = await Promise.all(names.map((name) => WatchedCache.open(name)));
    for (const { tiering } of caches) ends.push(tiering.close);
    const [cache] = caches;
    if (cache === undefined) throw new Error("A page shows a cache.");
    const { clock } = cache.tiering;
    const rig = await servePage(
      caches.map(({ source }) => source),
      { clock, ...options },
    );
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
    return { page, caches, cache, rig };
  }

  const has = async (within: Page | Locator, text: string | RegExp): Promise<void> =>
    within.getByText(text).first().waitFor({ state: "visible" });
  const rowOf = (page: Page, label: string): Locator => page.getByRole("row", { name: label });
  const chart = (page: Page, title: string): Locator => page.getByRole("slider", { name: `${title}: moment to read` });

  it("shows the figures, and they move", async () => {
    const { page, cache } = await show();
    const row = rowOf(page, "1:example");
    await has(row, "0 B/s / 0 B");
    await cache.store();
    await cache.store();
    cache.pass(1);
    await has(row, "8 KiB/s / 8 KiB");
    await has(page.locator("#flow"), "stored 8 KiB/s · 2 blocks/s");
    await has(rowOf(page, "2:held"), "2 stores, 0 loads out");
    await has(rowOf(page, "0:primary"), "2 in use, 0 idle, 14 free");
    await cache.release();
    cache.pass(5);
    await has(row, "0 B/s / 8 KiB");
    await has(rowOf(page, "0:primary"), "0 in use, 2 idle, 14 free");
  });

  it("shows to who comes late what was before", async () => {
    const { page, cache } = await show();
    await cache.store();
    cache.pass(60);
    await page.reload();
    await chart(page, "Stored to tiers").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowLeft");
    expect(await chart(page, "Stored to tiers").getAttribute("aria-valuetext")).toContain(
      "59 s ago: 1:example 4\u00a0KiB/s",
    );
  });

  it("tells of pressure in words, in the title, and in time", async () => {
    const { page, cache } = await show();
    await cache.store();
    cache.pass(4);
    await cache.release();
    await cache.store();
    cache.pass(1);
    const row = rowOf(page, "2:held");
    await has(row, "▲ Under pressure");
    await has(page.locator("#flow"), "▲ Under pressure");
    await has(page.getByRole("log"), "2:held came under pressure");
    await has(page.getByRole("log"), "2:held drops stores");
    expect(await page.title()).toBe("(1) kvtier");
    await has(page.locator("#charts"), "high 2\u00a0s/MiB");
    await has(page.locator("#charts"), "low 1\u00a0s/MiB");
    await cache.tiering.manager.resetCache();
    cache.pass(6);
    await has(row, "✓ OK");
    await has(page.getByRole("log"), "2:held is no longer under pressure");
    expect(await page.title()).toBe("kvtier");
  });

  it("does not read out what was before it was opened", async () => {
    const { page, cache } = await show();
    await page.getByRole("log").waitFor({ state: "attached" });
    expect(await page.getByRole("log").getByRole("listitem").count()).toBe(0);
    await has(page, "Nothing changed in the last ten minutes.");
    cache.pass(1);
  });

  it("has a name and a role for everything that is to be found or used", async () => {
    const { page, cache } = await show();
    cache.pass(1);
    for (const role of ["banner", "main"] as const) expect(await page.getByRole(role).count()).toBe(1);
    for (const name of ["Now", "Flow", "Over time", "Tiers", "What changed"]) {
      await page.getByRole("region", { name, exact: true }).waitFor({ state: "attached" });
      await page.getByRole("heading", { name, exact: true, level: 2 }).waitFor({ state: "attached" });
    }
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain("kvtier");
    await page.getByRole("table", { name: "Tiers" }).waitFor();
    await page.getByRole("columnheader", { name: "Breaker" }).waitFor();
    await page.getByRole("combobox", { name: "Cache" }).waitFor();
    await page.getByRole("combobox", { name: "Time" }).waitFor();
    expect(await page.getByRole("status").first().textContent()).toContain("Live");
    const picture = page.getByRole("img", { name: /The pool and its tiers\. 1:example: OK, stored .*2:held: OK/ });
    await picture.waitFor();
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll("img:not([alt]), button:empty, input, select, [role=slider]:not([aria-label])")]
        .filter(
          (element) =>
            !(element instanceof HTMLInputElement || element instanceof HTMLSelectElement) ||
            element.labels?.length === 0,
        )
        .map((element) => element.outerHTML),
    );
    expect(unnamed).toEqual([]);
    expect(await page.locator("html").getAttribute("lang")).toBe("en");
  });

  it("has beside every chart a table of the same", async () => {
    const { page, cache } = await show();
    await cache.store();
    cache.pass(1);
    const figures = page.getByRole("figure");
    await figures.first().waitFor();
    const count = await figures.count();
    expect(count).toBe(7);
    for (let i = 0; i < count; i++) {
      const figure = figures.nth(i);
      await figure.getByRole("slider").waitFor();
      await figure.getByText("As a table").click();
      await figure.getByRole("table").waitFor();
      await figure.getByRole("rowheader", { name: "now" }).waitFor();
    }
    const stored = figures.filter({ hasText: "Stored to tiers" });
    await stored.getByRole("columnheader", { name: "1:example" }).waitFor();
    await has(stored.getByRole("table"), "4 KiB/s");
  });

  it("can be walked through and used with keys alone, with the focus in sight", async () => {
    const { page, cache } = await show({ names: ["main", "other"], token: TOKEN });
    await cache.store();
    cache.pass(3);
    await has(rowOf(page, "1:example"), / 4\sKiB$/);
    const seen: string[] = [];
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press("Tab");
      const { name, outline } = await page.evaluate(() => {
        // After the last comes the browser itself.
        const at = document.activeElement === document.body ? null : document.activeElement;
        const name = at?.getAttribute("aria-label") ?? at?.id ?? "";
        return {
          name: name === "" ? (at?.textContent?.trim() ?? "") : name,
          outline: at === null ? "" : getComputedStyle(at).outlineStyle,
        };
      });
      if (name === "" || seen.includes(name)) continue;
      seen.push(name);
      expect(`${name}: ${outline}`).toBe(`${name}: solid`);
    }
    expect(seen.slice(0, 5)).toEqual([
      "Skip to the figures",
      "cache",
      "range",
      "Hit rate: moment to read",
      "As a table",
    ]);
    expect(seen).toEqual(expect.arrayContaining(["Pressure gauge of 2:held: moment to read", "Clear the cache…"]));

    await chart(page, "Stored to tiers").focus();
    const valueText = () => chart(page, "Stored to tiers").getAttribute("aria-valuetext");
    expect(await valueText()).toMatch(/^now: 1:example 0/);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    expect(await valueText()).toMatch(/^2 s ago: 1:example 4\u00a0KiB\/s, 2:held 0/);
    expect(await chart(page, "Hit rate").getAttribute("aria-valuenow")).toBe("-2");
    await page.keyboard.press("Escape");
    expect(await valueText()).toMatch(/^now/);

    await page.getByRole("combobox", { name: "Cache" }).focus();
    await page.keyboard.press("ArrowDown");
    await has(rowOf(page, "1:example"), "0 B/s / 0 B");
  });

  it("keeps the moment that is read while time goes on", async () => {
    const { page, cache } = await show();
    await cache.store();
    cache.pass(2);
    await has(rowOf(page, "1:example"), / 4\sKiB$/);
    await chart(page, "Stored to tiers").focus();
    await page.keyboard.press("ArrowLeft");
    cache.pass(3);
    await has(page.locator("#charts"), "4 s ago");
    await has(page.getByRole("figure").filter({ hasText: "Stored to tiers" }).getByRole("list"), "4 KiB/s");
  });

  it("says that its figures are old when the server is gone, and goes on when it is back", async () => {
    const { page, cache, rig } = await show();
    await rig.close();
    await page.locator("body[data-state=stale]").waitFor();
    await has(page.getByRole("status"), "Stale");
    await has(page.locator("#state-age"), /since \d+ s/);
    // Refused connections are what this is about.
    faults = faults.filter((fault) => !fault.includes("ERR_CONNECTION_REFUSED"));
    await cache.store();
    const again = await servePage(
      [cache.source],
      { clock: cache.tiering.clock },
      { port: Number(new URL(rig.origin).port) },
    );
    ends.push(again.close);
    cache.pass(1);
    await page.locator("body[data-state=live]").waitFor();
    await has(rowOf(page, "1:example"), / 4\sKiB$/);
    faults = faults.filter((fault) => !fault.includes("ERR_CONNECTION_REFUSED"));
  });

  it("moves only for who does not mind", async () => {
    const { page, cache } = await show();
    await cache.store();
    cache.pass(1);
    const flow = page.locator("#flow path.slow").first();
    // It is as flat as a line, which counts as not visible.
    await flow.waitFor({ state: "attached" });
    const animation = () => flow.evaluate((path) => getComputedStyle(path).animationName);
    expect(await animation()).toBe("flow");
    await page.emulateMedia({ reducedMotion: "reduce" });
    expect(await animation()).toBe("none");
  });

  it.each(["light", "dark"] as const)("can be read in the %s", async (colorScheme) => {
    const { page, cache } = await show({ token: TOKEN }, { colorScheme });
    await cache.store();
    cache.pass(4);
    await cache.release();
    await cache.store();
    cache.pass(1);
    await has(rowOf(page, "2:held"), "▲ Under pressure");
    const pairs = await page.evaluate(contrasts);
    expect(pairs.length).toBeGreaterThan(60);
    expect(pairs.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
    const isDark = (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)) === "rgb(16, 21, 29)";
    expect(isDark).toBe(colorScheme === "dark");
  });

  it.each([320, 375, 768, 1280])("fits a window %d pixels wide", async (width) => {
    const { page, cache } = await show({ token: TOKEN }, { viewport: { width, height: 800 } });
    await cache.store();
    cache.pass(1);
    await has(rowOf(page, "1:example"), / 4\sKiB$/);
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(content).toBe(window);
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll("svg[viewBox]")].flatMap((svg) => {
        const { left, right } = svg.getBoundingClientRect();
        return [...svg.querySelectorAll("text")]
          .filter(
            (text) => text.getBoundingClientRect().left < left - 1 || text.getBoundingClientRect().right > right + 1,
          )
          .map((text) => text.textContent);
      }),
    );
    expect(cut).toEqual([]);
  });

  it("has no control without a token", async () => {
    const { page } = await show();
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await page.getByRole("textbox").count()).toBe(0);
  });

  it("clears the cache for who knows the token, once it is confirmed", async () => {
    const { page, cache } = await show({ token: TOKEN });
    const key = await cache.store();
    await cache.release();
    cache.pass(1);
    const region = page.getByRole("region", { name: "Clear" });
    const tokenField = region.getByLabel("Token");
    const clear = async (answer: string): Promise<void> => {
      await region.getByRole("button", { name: "Clear the cache…" }).click();
      const dialog = page.getByRole("dialog", { name: "Clear?" });
      await has(dialog, "This clears the cache “main”");
      await dialog.getByRole("button", { name: answer }).click();
      await dialog.waitFor({ state: "hidden" });
    };
    await tokenField.fill("another-token-of-many-letters");
    await clear("Clear");
    await has(region.getByRole("status"), "Not cleared: the token is wrong.");
    faults = faults.filter((fault) => !fault.includes("401"));
    await tokenField.fill(TOKEN);
    await clear("Keep");
    expect(cache.tiering.manager.isResident(key)).toBe(true);
    await clear("Clear");
    await has(region.getByRole("status"), /^Cleared\.$/);
    expect(cache.tiering.manager.isResident(key)).toBe(false);
    expect(await page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      "",
    ]);
  });

  it("shows names as text, whatever they hold", async () => {
    const name = `<img src=x onerror=alert(1)>`;
    const { page } = await show({ names: [name] });
    expect(await page.getByRole("combobox", { name: "Cache" }).inputValue()).toBe(name);
    expect(await page.locator("select img").count()).toBe(0);
  });
});

/** Runs in the page: contrast of every text with what is behind it, and what WCAG 2.2 AA asks for. */
function contrasts(): { text: string; ratio: number; needed: number }[] {
  const numbers = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = numbers(color).map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element): string => {
    // What an SVG text stands on is a box beside it in the tree, and no box is lighter or darker than these two.
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (numbers(color)[3] !== 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const body = getComputedStyle(document.body).backgroundColor;
  return [...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ""))
    .filter(
      (element) => !["SCRIPT", "NOSCRIPT", "OPTION"].includes(element.tagName) && element.getClientRects().length > 0,
    )
    .flatMap((element) => {
      const { fill, color } = getComputedStyle(element);
      const isSvg = element instanceof SVGElement;
      return [behind(element), ...(isSvg ? [body] : [])].map((back) => {
        const [a, b] = [luminance(isSvg ? fill : color), luminance(back)].sort((x, y) => y - x) as [number, number];
        return { text: element.textContent ?? "", ratio: (a + 0.05) / (b + 0.05), needed: 4.5 };
      });
    });
}
