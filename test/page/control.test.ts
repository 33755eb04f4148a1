import { expect, it } from "@jest/globals";
import { describePage, has } from "./describe-page.js";

const TOKEN = "a-token-of-20-letters";

describePage("the page's control", (show) => {
  it("has no control without a token", async () => {
    const { page } = await show();
    expect(await page.getByRole("button").count()).toBe(0);
    expect(await page.getByRole("textbox").count()).toBe(0);
  });

  it("clears the cache for who knows the token, once it is confirmed", async () => {
    const { page, cache, forgive } = await show({ token: TOKEN });
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
    forgive("401");
    await tokenField.fill("another-token-of-many-letters");
    await clear("Clear");
    await has(region.getByRole("status"), "Not cleared: the token is wrong.");
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
});
