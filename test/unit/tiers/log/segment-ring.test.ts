import { closeSync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { SegmentFolder } from "../../../../src/tiers/log/segment-folder.js";
import { SegmentRing, type SegmentRingParts } from "../../../../src/tiers/log/segment-ring.js";
import { filesBelow, withTempFolder } from "../../../support/temp-folder.js";

const SLOTS = 4;
const { signal } = new AbortController();

/** A step of the ring's work that waits for the test. */
class Gate {
  readonly entered: Promise<void>;
  readonly #opened: Promise<void>;
  #enter = (): void => {};
  open = (): void => {};

  constructor() {
    this.entered = new Promise((resolve) => (this.#enter = resolve));
    this.#opened = new Promise((resolve) => (this.open = resolve));
  }

  readonly pass = (): Promise<void> => {
    this.#enter();
    return this.#opened;
  };
}

interface Parts {
  readonly root: string;
  readonly folder: SegmentFolder;
  readonly ring: SegmentRing;
  /** Descriptors that a header was written to. */
  readonly formatted: number[];
  /** What the next call of each does instead of returning at once. */
  readonly steps: Partial<Record<"format" | "forget", () => Promise<void>>>;
}

/** A ring of at most two segments, one of which is there. */
async function withRing(body: (parts: Parts) => Promise<void>): Promise<void> {
  await withTempFolder(async (root) => {
    const folder = new SegmentFolder(root, 4096);
    const formatted: number[] = [];
    const steps: Parts["steps"] = {};
    const parts: SegmentRingParts = {
      folder,
      slots: SLOTS,
      maxSegments: 2,
      format: async ({ fd }) => {
        formatted.push(fd);
        await steps.format?.();
      },
      forget: async () => steps.forget?.(),
    };
    const ring = new SegmentRing(parts);
    await ring.ready(signal);
    await body({ root, folder, ring, formatted, steps });
  });
}

const isOpen = (fd: number): boolean => {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
};

describe("SegmentRing, when it is closed", () => {
  it("ends a segment only when its header is written", () =>
    withRing(async ({ folder, ring, steps }) => {
      const gate = new Gate();
      steps.format = gate.pass;
      const [segment] = ring.segments;
      const cleared = ring.clear();
      await gate.entered;
      const closed = ring.close(({ file }) => folder.close(file));
      await new Promise((resolve) => setImmediate(resolve));
      expect(isOpen(segment?.fd ?? -1)).toBe(true);
      gate.open();
      await Promise.all([closed, cleared]);
      expect(isOpen(segment?.fd ?? -1)).toBe(false);
    }));

  it("writes no header any more", () =>
    withRing(async ({ folder, ring, steps, formatted }) => {
      const gate = new Gate();
      steps.forget = gate.pass;
      const cleared = expect(ring.clear()).rejects.toThrow("closed");
      await gate.entered;
      const closed = ring.close(({ file }) => folder.close(file));
      gate.open();
      await Promise.all([cleared, closed]);
      await expect(ring.ready(signal)).rejects.toThrow("closed");
      expect(formatted).toHaveLength(1);
      expect(ring.take(1, signal)).toBe(null);
    }));

  it("removes the segment that was in the making", () =>
    withRing(async ({ root, folder, ring, steps, formatted }) => {
      ring.take(SLOTS, signal)?.release();
      const before = await filesBelow(root);
      const gate = new Gate();
      steps.format = gate.pass;
      const made = expect(ring.ready(signal)).rejects.toThrow();
      await gate.entered;
      const closed = ring.close(({ file }) => folder.close(file));
      gate.open();
      await Promise.all([made, closed]);
      expect(await filesBelow(root)).toEqual(before);
      expect(formatted.map(isOpen)).toEqual([false, false]);
    }));

  it("keeps open what hangs, and that alone", () =>
    withRing(async ({ folder, ring }) => {
      ring.take(SLOTS, signal)?.release();
      await ring.ready(signal);
      const hanging = ring.take(1, signal);
      const [first, second] = ring.segments.map(({ fd }) => fd);
      const ended: number[] = [];
      const firstEnded = new Gate();
      const closed = ring.close(async ({ file }) => {
        await folder.close(file);
        ended.push(file.fd);
        if (file.fd === first) void firstEnded.pass();
      });
      await firstEnded.entered;
      expect([ended, isOpen(second ?? -1)]).toEqual([[first], true]);
      hanging?.release();
      await closed;
      expect(ended).toEqual([first, second]);
    }));
});

describe("SegmentFolder", () => {
  it("closes a file once, and not whatever has its number by then", () =>
    withTempFolder(async (root) => {
      const folder = new SegmentFolder(root, 4096);
      const file = await folder.create(1);
      await folder.close(file);
      const other = openSync(join(root, "other"), "w+");
      try {
        // Whoever opens next gets the lowest free number, as a rule that of the file just closed.
        await folder.close({ ...file, fd: other });
        await folder.close(file);
        await folder.discard(file);
        expect(isOpen(other)).toBe(true);
      } finally {
        closeSync(other);
      }
    }));
});
