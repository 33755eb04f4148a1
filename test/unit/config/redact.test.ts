import { describe, expect, it } from "@jest/globals";
import { redact } from "../../../src/config/redact.js";
import { isSecretKey } from "../../../src/errors/secrets.js";

describe("isSecretKey", () => {
  it.each([
    "password",
    "secret",
    "secretKey",
    "access_key",
    "accessKeyId",
    "session_token",
    "token",
    "authToken",
    "api-key",
    "credentials",
    "passphrase",
    "pwd",
    "Authorization",
    "AWS_SECRET_ACCESS_KEY",
    "session",
    "private_key",
    "tokens",
  ])("takes %s for a secret", (key) => expect(isSecretKey(key)).toBe(true));

  it.each([
    "tokens_per_block",
    "tokensPerHash",
    "key_prefix",
    "author",
    "authority",
    "root_dir",
    "tokenizer",
    "url",
    "keys",
  ])("shows %s", (key) => expect(isSecretKey(key)).toBe(false));
});

describe("redact", () => {
  it("replaces secrets at every depth and leaves the rest and the input alone", () => {
    const value = { a: [{ secret_key: "hunter2", bucket: "b" }], credentials: { user: "u", key: "hunter2" }, n: 1 };
    const before = structuredClone(value);
    expect(redact(value)).toEqual({
      a: [{ secret_key: "[redacted]", bucket: "b" }],
      credentials: "[redacted]",
      n: 1,
    });
    expect(value).toEqual(before);
  });

  it("keeps unset secrets and booleans, which tell nothing", () => {
    const value = { password: "", token: null, secret: undefined, auth: true };
    expect(redact(value)).toEqual(value);
  });

  it.each([
    ["redis://user:pass@host:6379/0", "redis://[redacted]@host:6379/0"],
    ["redis://:p@ss/w#rd@host", "redis://[redacted]@host"],
    ["https://host/path?x=1&token=abc&y=2", "https://host/path?x=1&token=[redacted]&y=2"],
    ["https://host/a@b is shown", "https://[redacted]@b is shown"],
    ["s3://bucket/prefix", "s3://bucket/prefix"],
  ])("takes the credentials out of %s", (text, shown) => {
    expect(redact({ url: text })).toEqual({ url: shown });
  });

  it("ends on cycles, and shows the same object twice when it is no cycle", () => {
    const shared = { a: 1 };
    const value: Record<string, unknown> = { one: shared, two: shared };
    value.self = value;
    expect(redact(value)).toEqual({ one: { a: 1 }, two: { a: 1 }, self: "[circular]" });
  });

  it("gives what JSON can hold, without prototype keys, code or bytes", () => {
    const value: unknown = {
      ...(JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}') as object),
      big: 5n,
      fn: () => 1,
      symbol: Symbol("s"),
      bytes: new Uint8Array([104, 117]),
      map: new Map([["password", "hunter2"]]),
      date: new Date(0),
      url: new URL("redis://user:pass@host/"),
      get lazy(): never {
        throw new Error("hunter2");
      },
    };
    const shown = redact(value) as Record<string, unknown>;
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
    expect(Object.keys(shown)).toEqual(["big", "fn", "symbol", "bytes", "map", "date", "url", "lazy"]);
    expect(shown).toMatchObject({
      bytes: "[an instance of Uint8Array]",
      lazy: "[getter]",
      url: "redis://[redacted]@host/",
    });
    expect(Object.getPrototypeOf(shown)).toBe(Object.prototype);
  });
});
