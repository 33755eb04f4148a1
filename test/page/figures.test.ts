import { expect, it } from "@jest/globals";
import { servePage } from "../support/page-rig.js";
import { chart, describePage, has, rowOf } from "./describe-page.js";

describePage("what the page shows", (show) => {
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

  it("names the server whose breaker is open, and what that costs", async () => {
    const { page, cache } = await show();
    cache.pass(1);
    cache.figures = { breakerOpen: 1, breakerOpenLoads: 1, breakerOpens: 2, "breakerOpen:10.0.0.1:6379": 1 };
    cache.pass(1);
    const row = rowOf(page, "2:held");
    await has(row, "✕ Breaker open");
    await has(row, "open 10.0.0.1:6379: loads; opened 2 ×");
    await has(page.getByRole("log"), "2:held does not answer: its breaker opened");
    cache.figures = { breakerOpen: 0, breakerOpens: 2 };
    cache.pass(1);
    await has(row, "closed; opened 2 ×");
    await has(page.getByRole("log"), "2:held answers again: its breaker closed");
  });

  it("does not read out what was before it was opened", async () => {
    const { page, cache } = await show();
    await page.getByRole("log").waitFor({ state: "attached" });
    expect(await page.getByRole("log").getByRole("listitem").count()).toBe(0);
    await has(page, "Nothing changed in the last ten minutes.");
    cache.pass(1);
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
    const { page, cache, rig, forgive } = await show();
    forgive("ERR_CONNECTION_REFUSED");
    await rig.close();
    await page.locator("body[data-state=stale]").waitFor();
    await has(page.getByRole("status"), "Stale");
    await has(page.locator("#state-age"), /since \d+ s/);
    await cache.store();
    const again = await servePage(
      [cache.source],
      { clock: cache.tiering.clock },
      { port: Number(new URL(rig.origin).port) },
    );
    try {
      cache.pass(1);
      await page.locator("body[data-state=live]").waitFor();
      await has(rowOf(page, "1:example"), / 4\sKiB$/);
    } finally {
      await again.close();
    }
  });

  it("shows names as text, whatever they hold", async () => {
    const name = `<img src=x onerror=alert(1)>`;
    const { page } = await show({ names: [name] });
    expect(await page.getByRole("combobox", { name: "Cache" }).inputValue()).toBe(name);
    expect(await page.locator("select img").count()).toBe(0);
  });
});
