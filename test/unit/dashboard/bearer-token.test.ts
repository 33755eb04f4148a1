import { describe, expect, it } from "@jest/globals";
import { isBearer } from "../../../src/dashboard/bearer-token.js";

const TOKEN = "0123456789abcdef";

describe("the bearer token", () => {
  it.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`, `Bearer   ${TOKEN}`])("is accepted as %j", (header) => {
    expect(isBearer(header, TOKEN)).toBe(true);
  });

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}0`,
    `Bearer ${TOKEN.slice(1)}`,
  ])("is not in %j", (header) => {
    expect(isBearer(header, TOKEN)).toBe(false);
  });
});
