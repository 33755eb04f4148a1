import { describe, expect, it } from "@jest/globals";
import { secretMask } from "../../../src/cli/secret-mask.js";

describe("secretMask", () => {
  it("blots out what stands under secret keys at any depth, wherever it turns up", () => {
    const mask = secretMask({
      tiers: [{ store: { secretKey: "s3cr3t-value" }, auth: { user: "ada-l", pin: 123456 } }],
    });
    expect(mask("bad key s3cr3t-value for ada-l (123456); s3cr3t-value")).toBe(
      "bad key [redacted] for [redacted] ([redacted]); [redacted]",
    );
  });

  it("leaves no half of a secret that contains another", () => {
    const mask = secretMask({ password: "abcd", token: "abcdefgh" });
    expect(mask("abcdefgh abcd")).toBe("[redacted] [redacted]");
  });

  it("blots out credentials in URLs, known or not", () => {
    expect(secretMask({})("redis://me:pw@host/ failed")).toBe("redis://[redacted]@host/ failed");
  });

  it("leaves everything else as it is", () => {
    const mask = secretMask({
      password: "",
      token: null,
      api_key: "x",
      model: { tokens_per_block: 1024, name: "llama" },
    });
    expect(mask("1024 tokens of llama x")).toBe("1024 tokens of llama x");
  });
});
