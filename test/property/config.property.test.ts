import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { parseTieringConfigWith } from "../../src/config/parse-tiering-config.js";
import { redact } from "../../src/config/redact.js";
import { KvTierError, type ConfigProblem } from "../../src/errors/kv-tier-error.js";
import { sampleCatalog, sampleConfig } from "../unit/config/sample-catalog.js";

const SECRET = "hunter2-must-not-leak";

/** The problems of a config; any error but the one promised fails the test. */
function problemsOf(raw: unknown): readonly ConfigProblem[] {
  try {
    parseTieringConfigWith(sampleCatalog, raw);
    return [];
  } catch (error) {
    if (!KvTierError.is(error, "CONFIG_INVALID")) throw error;
    expect(error.problems.length).toBeGreaterThan(0);
    for (const problem of error.problems) {
      expect(typeof problem.path).toBe("string");
      expect(error.message).toContain(problem.message);
    }
    return error.problems;
  }
}

const knownKey = fc.constantFrom(
  ...[
    "type",
    "root_dir",
    "rootDir",
    "backpressure",
    "backpressure_cls",
    "model",
    "name",
    "secondary_tiers",
    "locality",
  ],
  ...[
    "store_config",
    "bucket",
    "policy",
    "policy_cls",
    "max_bytes",
    "block_bytes",
    "cpu_bytes_to_use",
    "n_read_threads",
  ],
  ...["__proto__", "constructor", "toString", "prototype", "hasOwnProperty", "password", ""],
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    "disk",
    "shop",
    "free",
    "bare",
    "lazy",
    "MarksDetector",
    "1MiB",
    "8MiB",
    "LOCAL",
    1,
    16,
    0.5,
  ),
  fc.constantFrom<unknown>(null, undefined, true, Number.NaN, -0, Infinity),
  fc.string(),
  fc.double(),
);
/** Own keys as JSON.parse makes them: `__proto__` is one like any other. */
const fromEntries = (entries: [string, unknown][]): object => {
  const made = {};
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return made;
};
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof({ weight: 4, arbitrary: knownKey }, fc.string()), tie("tree")), { maxLength: 6 })
      .map(fromEntries),
  ),
}));

/** What the keys of a config look like after parsing, in an order that does not depend on it. */
const snapshot = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "number" && !Number.isFinite(item) ? String(item) : item === undefined ? "undefined" : item,
  );

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  return Object.freeze(value);
}

describe("a config that may be anything", () => {
  it("parses or is CONFIG_INVALID with its problems, is not changed, and reaches no prototype", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          tree,
          tree.map((tiers) => ({ ...sampleConfig(), secondary_tiers: [tiers] })),
        ),
        (raw) => {
          const before = snapshot(raw);
          problemsOf(raw);
          expect(snapshot(raw)).toBe(before);
          const thawed = problemsOf(raw).map(({ path }) => path);
          expect(problemsOf(deepFreeze(raw)).map(({ path }) => path)).toEqual(thawed);
          expect(Reflect.ownKeys(Object.prototype)).toHaveLength(prototypeKeys);
          redact(raw);
        },
      ),
      { numRuns: 400 },
    );
  });

  const prototypeKeys = Reflect.ownKeys(Object.prototype).length;
});

const valid = () => ({
  ...sampleConfig(
    {
      type: "disk",
      root_dir: "/x",
      max_bytes: "1GiB",
      backpressure: { backpressure_cls: "MarksDetector", alpha: 0.5 },
    },
    { type: "shop", store_config: { bucket: "b", endpoint_override: "e", secret_key: SECRET } },
    { type: "bare", backpressure: { backpressure_cls: "MarksDetector", policy: { ramp_factor: 2 } } },
  ),
  eviction_policy: "arc",
});

/** Every object of the valid config, by its path, and how to reach it. */
const PLACES: readonly { path: string; keys: readonly (string | number)[] }[] = [
  { path: "", keys: [] },
  { path: "model.", keys: ["model"] },
  { path: "secondary_tiers[0].", keys: ["secondary_tiers", 0] },
  { path: "secondary_tiers[0].backpressure.", keys: ["secondary_tiers", 0, "backpressure"] },
  { path: "secondary_tiers[1].", keys: ["secondary_tiers", 1] },
  { path: "secondary_tiers[1].store_config.", keys: ["secondary_tiers", 1, "store_config"] },
  { path: "secondary_tiers[2].", keys: ["secondary_tiers", 2] },
  { path: "secondary_tiers[2].backpressure.policy.", keys: ["secondary_tiers", 2, "backpressure", "policy"] },
];

describe("a valid config", () => {
  it("with k misspelt keys has k problems, with exactly their paths", () => {
    const typo = fc.tuple(fc.constantFrom(...PLACES), fc.stringMatching(/^x[a-z]{3,8}_typo$/));
    fc.assert(
      fc.property(fc.uniqueArray(typo, { selector: ([place, key]) => place.path + key, maxLength: 8 }), (typos) => {
        const raw = valid();
        for (const [{ keys }, key] of typos) {
          const target = keys.reduce<object>((object, step) => Reflect.get(object, step) as object, raw);
          Reflect.set(target, key, SECRET);
        }
        expect(
          problemsOf(raw)
            .map(({ path }) => path)
            .sort(),
        ).toEqual(typos.map(([{ path }, key]) => path + key).sort());
      }),
      { numRuns: 200 },
    );
  });

  it("never shows a secret, whatever is broken in it, and redacts it in a dump", () => {
    const secretKey = fc.constantFrom(
      "secret_key",
      "secretKey",
      "password",
      "token",
      "credentials",
      "access_key",
      "pasword",
    );
    const wrapped = fc.constantFrom<(secret: string) => unknown>(
      (secret) => secret,
      (secret) => [secret],
      (secret) => ({ any: secret }),
      (secret) => ({ password: secret, more: [{ token: secret }] }),
      (secret) => () => secret,
      (secret) => new Map([["a", secret]]),
    );
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), secretKey, wrapped, fc.boolean(), ({ keys }, key, wrap, replace) => {
        const raw = valid();
        const parent = keys.slice(0, -1).reduce<object>((object, step) => Reflect.get(object, step) as object, raw);
        const last = keys.at(-1);
        const target = last === undefined ? raw : (Reflect.get(parent, last) as object);
        if (replace && last !== undefined) Reflect.set(parent, last, { ...target, [key]: wrap(SECRET), bucket: 5 });
        else Reflect.set(target, key, wrap(SECRET));
        expect(JSON.stringify(problemsOf(raw))).not.toContain(SECRET);
        if (key !== "pasword") expect(JSON.stringify(redact(raw))).not.toContain(SECRET);
      }),
      { numRuns: 300 },
    );
  });
});
