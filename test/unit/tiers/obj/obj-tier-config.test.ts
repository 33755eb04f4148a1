import { describe, expect, it } from "@jest/globals";
import { parseTieringConfig } from "../../../../src/index.js";
import type { ConfigProblem } from "../../../../src/index.js";

const STORE = { bucket: "kv", endpoint_override: "127.0.0.1:9000" };

/** What is wrong with an obj tier of these options, as `path: message`. */
function problemsOf(store: Readonly<Record<string, unknown>>, tier: Readonly<Record<string, unknown>> = {}): string[] {
  try {
    parseTieringConfig({
      cpu_bytes_to_use: 4096,
      block_bytes: 1024,
      model: { name: "m", dtype: "float16", tokens_per_block: 16 },
      secondary_tiers: [{ type: "obj", store_config: { ...STORE, ...store }, ...tier }],
    });
    return [];
  } catch (error) {
    const { problems } = error as { problems: ConfigProblem[] };
    return problems.map(({ path, message }) => `${path.replace("secondary_tiers[0].", "")}: ${message}`);
  }
}

describe("The options of the obj tier", () => {
  it("are those of vLLM", () => {
    const upstream = {
      scheme: "https",
      access_key: "a",
      secret_key: "s",
      session_token: "",
      region: "",
      ca_bundle: "",
      use_virtual_addressing: true,
      req_checksum: "required",
      resp_checksum: "supported",
      accelerated: false,
      type: "s3",
      backend_params: { num_threads: 8 },
    };
    expect(problemsOf(upstream, { prefix: "", io_threads: 4, locality: "REMOTE" })).toEqual([]);
  });

  it.each([
    "127.0.0.1",
    "minio",
    "minio:9000",
    "http://minio:9000",
    "https://s3.eu-central-1.amazonaws.com/",
    "[::1]:9000",
  ])("take %p as an endpoint", (endpoint_override) => expect(problemsOf({ endpoint_override })).toEqual([]));

  it.each(["", "http://", "ftp://minio", "minio/path", "http://minio?x=1", "http://user:hunter2@minio"])(
    "refuse %p as an endpoint",
    (endpoint_override) => {
      const [problem = ""] = problemsOf({ endpoint_override });
      expect(problem).toMatch(/^store_config.endpoint_override: must be host, host:port/);
      expect(problem).not.toContain("hunter2");
    },
  );

  it("refuse an endpoint of another scheme than they say", () => {
    expect(problemsOf({ endpoint_override: "https://minio", scheme: "http" })).toHaveLength(1);
    expect(problemsOf({ endpoint_override: "https://minio", scheme: "https" })).toEqual([]);
  });

  it("refuse one key without the other, and show neither", () => {
    const problems = problemsOf({ secret_key: "hunter2" });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/access_key: must be given together with/);
    expect(problems.join()).not.toContain("hunter2");
  });

  it("refuse backend_params that would set what has a key of its own", () => {
    expect(problemsOf({ backend_params: { endpoint_override: "elsewhere" } })).toHaveLength(1);
  });

  it.each(["/kv", "kv//a", "kv/../a", ".", "a\u0000b", "x".repeat(513)])("refuse %p as a prefix", (prefix) => {
    expect(problemsOf({}, { prefix })).toHaveLength(1);
  });
});
