import { describe, expect, it } from "@jest/globals";
import { parseTieringConfigWith } from "../../src/config/parse-tiering-config.js";
import { redact } from "../../src/config/redact.js";
import { KvTierError } from "../../src/errors/kv-tier-error.js";
import { sampleCatalog, sampleConfig } from "../unit/config/sample-catalog.js";

function errorOf(tier: unknown): KvTierError {
  try {
    parseTieringConfigWith(sampleCatalog, sampleConfig(tier));
  } catch (error) {
    if (KvTierError.is(error, "CONFIG_INVALID")) return error;
    throw error;
  }
  throw new Error("the config was accepted");
}

describe("F5: missing fields surfaced one by one, as obscure errors deep in a client", () => {
  it("names every missing field at once", () => {
    expect(errorOf({ type: "shop", store_config: {} }).problems.map(({ path }) => path)).toEqual([
      "secondary_tiers[0].store_config.bucket",
      "secondary_tiers[0].store_config.endpoint_override",
    ]);
  });

  it("names them too when the block that should hold them is missing", () => {
    expect(errorOf({ type: "shop" }).problems.map(({ path }) => path)).toEqual([
      "secondary_tiers[0].store_config.bucket",
      "secondary_tiers[0].store_config.endpoint_override",
    ]);
  });

  it("does not take an empty string for a value", () => {
    const error = errorOf({ type: "shop", store_config: { bucket: "", endpoint_override: "" } });
    expect(error.problems).toHaveLength(2);
  });

  it.each([
    [{ bucket: 5, secret_key: ["hunter2"] }],
    [{ secretKey: { value: "hunter2" } }],
    [{ secret_keyy: "hunter2" }],
    [{ secret_key: "hunter2", secretKey: "hunter2" }],
    ["hunter2"],
    [["hunter2"]],
  ])("shows no secret, however the config is broken: %p", (store) => {
    const error = errorOf({ type: "shop", store_config: store });
    expect(error.message + JSON.stringify(error.problems)).not.toContain("hunter2");
  });

  it("shows no secret in a dump of a config", () => {
    const tier = {
      type: "shop",
      store_config: { bucket: "b", endpoint_override: "http://u:hunter2@host", secret_key: "hunter2" },
    };
    const config = parseTieringConfigWith(sampleCatalog, sampleConfig(tier));
    expect(JSON.stringify(config)).toContain("hunter2");
    expect(JSON.stringify(redact(config))).not.toContain("hunter2");
  });
});
