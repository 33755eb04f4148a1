import { describe, expect, it } from "@jest/globals";
import { DISK_TIER_TYPES } from "../support/disk-tiers.js";
import { onSmallFs } from "../support/on-small-fs.js";

const BLOCKS = [0, 1, 2, 3];

/**
 * Runs the scenario, and has `check` look at what it saw. Without the right to mount anything, for root or for a
 * namespace of one's own, the one thing to test is that it is that right which is missing; it is said aloud.
 */
async function expectOnSmallFs(
  scenario: string,
  type: string,
  check: (report: Record<string, unknown>) => void,
): Promise<void> {
  const run = await onSmallFs(scenario, type);
  if ("report" in run) return check(run.report);
  expect(run.notMounted).toMatch(/permi|denied|superuser|not allowed/i);
  console.warn(`"${scenario}" was not tried on a file system of its own: ${run.notMounted}`);
}

describe.each(DISK_TIER_TYPES)("%s on a file system of 64 MiB", (type) => {
  it("fails stores when it is full, serves what it has, and stores again when there is room", () =>
    expectOnSmallFs("fill up", type, ({ held, newest, stillHeld, freeBytes, unfinished, said }) => {
      // Full to what the tier itself needs besides blocks, or holds back.
      expect(held).toBeGreaterThan(40);
      expect(held).toBeLessThan(64);
      // What came last is what it keeps.
      if (type === "log") expect(newest).toBeGreaterThan(20);
      expect(freeBytes).toBeLessThan(16 * 2 ** 20);
      expect(unfinished).toEqual([]);
      // A tier may use room again that it has, and let the oldest blocks go for it.
      expect(stillHeld).toBeGreaterThan(40);
      expect(said).toContainEqual(expect.stringContaining("ENOSPC"));
    }));

  it("says at its start that the file system is read-only", () =>
    expectOnSmallFs("start read-only", type, ({ code, message }) => {
      expect(code).toBe("TIER_INIT_FAILED");
      expect(message).toMatch(/root_dir .*EROFS.*read-only/s);
    }));

  it("serves what it has when the file system becomes read-only, and stores again when it is not", () =>
    expectOnSmallFs("become read-only", type, (report) => {
      if ("refused" in report) {
        expect(report.refused).toMatch(/busy/);
        expect(report.openFiles).toBeGreaterThan(0);
      } else expect(report).toEqual({ held: BLOCKS, heldOfLater: [] });
    }));

  it("misses when its folder is removed, and stores again after a restart", () =>
    expectOnSmallFs("lose the folder", type, (report) => expect(report).toEqual({})));

  it("misses when the file system is unmounted, and writes nothing to the folder it was mounted on", () =>
    expectOnSmallFs("lose the mount", type, (report) => expect(report).toEqual({ below: [] })));
});
