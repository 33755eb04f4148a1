import { expect, it } from "@jest/globals";
import { contrasts } from "./contrasts.js";
import { chart, describePage, has, rowOf } from "./describe-page.js";

const TOKEN = "a-token-of-20-letters";

describePage("who can use the page", (show) => {
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
});
