import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { describe, expect, it } from "@jest/globals";
import { LookupResult } from "../../../src/contracts/lookup-result.js";
import type { OffloadKey } from "../../../src/contracts/offload-key.js";
import type { JobResult } from "../../../src/contracts/transfer-job.js";
import { createTierContext, describeSecondaryTier, type MakeTier, type TierEnv } from "../../../src/testing/index.js";
import { ExampleTier } from "../../../src/tiers/example/example-tier.js";
import { ExampleConfig } from "../../../src/tiers/example/example-config.js";
import { access } from "node:fs/promises";

interface Report {
  readonly passed: string[];
  readonly failed: string[];
  /** What each failed test said. */
  readonly reasons: Map<string, string>;
}

/** Runs the suite on a runner of a few lines, with assertions of its own. */
async function runSuite(makeTier: MakeTier): Promise<Report> {
  const tests: { name: string; body: () => Promise<void> }[] = [];
  describeSecondaryTier("subject", makeTier, {
    describe: (_name, body) => body(),
    it: (name, body) => tests.push({ name, body }),
    expect: (actual) => ({
      toBe: (expected) => strictEqual(actual, expected),
      toEqual: (expected) => deepStrictEqual(actual, expected),
    }),
  });
  const report: Report = { passed: [], failed: [], reasons: new Map() };
  for (const { name, body } of tests) {
    await body().then(
      () => report.passed.push(name),
      (error: unknown) => {
        report.failed.push(name);
        report.reasons.set(name, String(error));
      },
    );
  }
  return report;
}

type Subject = new (context: ReturnType<typeof createTierContext<ExampleConfig>>) => ExampleTier;
const making =
  (Tier: Subject): MakeTier =>
  (env) =>
    new Tier(createTierContext({ ...env, config: new ExampleConfig(), enableKvEvents: true }));

describe("describeSecondaryTier", () => {
  it("passes a sound tier, under any runner", async () => {
    const { passed, failed } = await runSuite(making(ExampleTier));
    expect(failed).toEqual([]);
    expect(passed.length).toBeGreaterThan(20);
  });

  it("gives each test a folder of its own, and removes it", async () => {
    const envs: TierEnv[] = [];
    await runSuite((env) => {
      envs.push(env);
      return making(ExampleTier)(env);
    });
    const folders = new Set(envs.map((env) => env.folder));
    expect(folders.size).toBe(envs.length);
    for (const folder of folders) await expect(access(folder)).rejects.toThrow("ENOENT");
  });

  class KeepsViews extends ExampleTier {
    readonly #views = new Map<OffloadKey, Uint8Array>();
    override write = async (key: OffloadKey, block: Uint8Array): Promise<void> => {
      await super.write(key, block);
      this.#views.set(key, block);
    };
    override read = async (key: OffloadKey, into: Uint8Array): Promise<void> => {
      await super.read(key, into);
      into.set(this.#views.get(key) ?? []);
    };
  }

  class AnswersWithAnyBlock extends ExampleTier {
    #last: OffloadKey | null = null;
    override write = async (key: OffloadKey, block: Uint8Array): Promise<void> => {
      this.#last = key;
      await super.write(key, block);
    };
    override read = async (key: OffloadKey, into: Uint8Array): Promise<void> => {
      await super.read(key, into).catch(() => super.read(this.#last ?? key, into));
    };
  }

  class ReportsTwice extends ExampleTier {
    #previous: JobResult[] = [];
    override getFinishedJobs(): JobResult[] {
      const results = super.getFinishedJobs();
      const again = this.#previous;
      this.#previous = results;
      return [...results, ...again];
    }
  }

  class HitsEverything extends ExampleTier {
    override lookup = (): LookupResult => LookupResult.Hit;
  }

  class ForgetsNoVerdict extends ExampleTier {
    protected override forgetLookups(): void {}
  }

  class CallsFailuresSuccess extends ExampleTier {
    override getFinishedJobs = (): JobResult[] =>
      super.getFinishedJobs().map(({ jobId }) => ({ jobId, success: true }));
  }

  class RepeatsEvents extends ExampleTier {
    readonly #all: ReturnType<ExampleTier["takeEvents"]> = [];
    override takeEvents(): ReturnType<ExampleTier["takeEvents"]> {
      this.#all.push(...super.takeEvents());
      return [...this.#all];
    }
  }

  it.each<[string, Subject, string]>([
    ["keeps views of slots", KeepsViews, "keeps the bytes as they were while the store was under way"],
    [
      "serves another block",
      AnswersWithAnyBlock,
      "fails the load of a block that it does not have, and never fills the slot with another",
    ],
    ["reports twice", ReportsTwice, "takes jobs without an answer, and ends each in exactly one result"],
    ["hits everything", HitsEverything, "misses a block that was never stored"],
    ["keeps verdicts over a clear", ForgetsNoVerdict, "misses what was stored before a clear, if it can clear at all"],
    [
      "calls failures success",
      CallsFailuresSuccess,
      "lists the keys of a partly failed load that did succeed, with their bytes, and no other",
    ],
    ["repeats events", RepeatsEvents, "records events for whole stores only, and hands each over once"],
  ])("fails a tier that %s", async (_name, Tier, test) => {
    const { failed } = await runSuite(making(Tier));
    expect(failed).toContain(test);
  });

  it("says of wrong bytes where they are and what to look for, in a line", async () => {
    const { reasons } = await runSuite(making(KeepsViews));
    const reason = reasons.get("keeps the bytes as they were while the store was under way") ?? "";
    const sentence =
      /block 1 in slot 9: byte 0 is 0, not 37 \(\d+ of 1000 differ\); did write\(\) keep the view it was/;
    expect(reason).toMatch(sentence);
    expect(Math.max(...[...reasons.values()].map((text) => text.split("\n").length))).toBeLessThan(20);
  });
});
