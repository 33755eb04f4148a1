import { describe, expect, it } from "@jest/globals";
import { isTrustedHost } from "../../../src/dashboard/trusted-host.js";

describe("the host check", () => {
  it.each(["localhost", "localhost:7117", "LOCALHOST", "localhost.:80", "kv.localhost", "127.0.0.1:7117", "10.1.2.3"])(
    "trusts %s, which no foreign site can be called",
    (host) => {
      expect(isTrustedHost(host, [])).toBe(true);
    },
  );

  it.each(["[::1]", "[::1]:7117", "[fe80::1]:80"])("trusts the address %s", (host) => {
    expect(isTrustedHost(host, [])).toBe(true);
  });

  it.each([
    undefined,
    "",
    "evil.example",
    "localhost.evil.example",
    "evillocalhost",
    "127.0.0.1.evil.example",
    "1270.0.0.1",
    "[::1].evil.example",
    "[evil.example]",
    "localhost:80:80",
    "localhost@evil.example",
    "a b",
  ])("refuses %j", (host) => {
    expect(isTrustedHost(host, [])).toBe(false);
  });

  it("trusts the names that are allowed, in any letter case, and no name below them", () => {
    expect(isTrustedHost("KV.example.org:443", ["kv.Example.org"])).toBe(true);
    expect(isTrustedHost("a.kv.example.org", ["kv.example.org"])).toBe(false);
  });
});
