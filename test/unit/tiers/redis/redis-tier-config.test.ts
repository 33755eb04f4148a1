import { describe, expect, it } from "@jest/globals";
import { parseTieringConfig } from "../../../../src/factory/parse-tiering-config.js";
import type { ConfigProblem, KvTierError } from "../../../../src/errors/kv-tier-error.js";

const SECRET = "s3cr3t-w0rd";

function problemsOf(options: Record<string, unknown>): readonly ConfigProblem[] {
  try {
    parseTieringConfig({
      cpu_bytes_to_use: "1MiB",
      block_bytes: 4096,
      model: { name: "m", dtype: "float16", tokens_per_block: 16 },
      secondary_tiers: [{ type: "redis", ...options }],
    });
    return [];
  } catch (error) {
    return (error as KvTierError).problems;
  }
}

const pathsOf = (options: Record<string, unknown>): string[] =>
  problemsOf(options).map(({ path }) => path.replace("secondary_tiers[0].", ""));

describe("the options of the redis tier", () => {
  it.each([
    { url: "redis://127.0.0.1" },
    { url: "rediss://user:p%40ss@[::1]:6380/3" },
    { nodes: ["10.0.0.1:6379", "[::1]:7000", "redis.example:7000"] },
    { url: "redis://h", tls: true, ttl_s: 0.5, username: "u", password: "p" },
    { url: "redis://h", tls: { ca_file: "/ca.pem", cert_file: "/c.pem", key_file: "/k.pem", server_name: "x" } },
    { url: "redis://h", tls: false, connections: 1, deadline_s: 1, max_queued_bytes: "1GiB", checksum: false },
    { url: "redis://h", key_prefix: "" },
  ])("may be %j", (options) => {
    expect(problemsOf(options)).toEqual([]);
  });

  it.each([
    [{}, "url"],
    [{ url: "redis://h", nodes: ["h:1"] }, "url"],
    [{ url: "http://h" }, "url"],
    [{ url: "redis://h/x" }, "url"],
    [{ url: "redis://h?db=1" }, "url"],
    [{ url: "redis://:p@h", password: "p" }, "url"],
    [{ url: 6379 }, "url"],
    [{ nodes: [] }, "nodes"],
    [{ nodes: ["h"] }, "nodes"],
    [{ nodes: ["redis://h:1"] }, "nodes"],
    [{ nodes: ["h:70000"] }, "nodes"],
    [{ nodes: "h:1" }, "nodes"],
    [{ url: "redis://h", key_prefix: "{a}" }, "key_prefix"],
    [{ url: "redis://h", key_prefix: "a b" }, "key_prefix"],
    [{ url: "redis://h", ttl_s: 0 }, "ttl_s"],
    [{ url: "redis://h", tls: "yes" }, "tls"],
    [{ url: "redis://h", tls: null }, "tls"],
    [{ url: "redis://h", tls: { ca_fil: "/x" } }, "tls.ca_fil"],
    [{ url: "redis://h", tls: { verify: "no" } }, "tls.verify"],
    [{ url: "redis://h", connections: 0 }, "connections"],
    [{ url: "redis://h", max_queued_bytes: 0 }, "max_queued_bytes"],
    [{ url: "redis://h", pasword: "p" }, "pasword"],
  ])("must not be %j", (options, path) => {
    expect(pathsOf(options)).toEqual([path]);
  });

  it("names both ways to say where the server is when neither is there", () => {
    expect(problemsOf({})[0]?.message).toMatch(/url|redis:\/\/.*nodes/);
  });

  it.each([
    { url: `redis:/user:${SECRET}@host` },
    { url: `user:${SECRET}@host:6379` },
    { url: `http://user:${SECRET}@host` },
    { nodes: [`user:${SECRET}@host:6379`] },
    { url: "redis://h", password: [SECRET] },
  ])("are never shown when they may hold a password: %j", (options) => {
    const problems = problemsOf(options);
    expect(problems).toHaveLength(1);
    expect(JSON.stringify(problems)).not.toContain(SECRET);
  });
});
