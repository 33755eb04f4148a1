import { existsSync } from "node:fs";
import { describe } from "@jest/globals";
import { chromium, type Browser } from "playwright-core";

const CHROMIUM = "/usr/bin/chromium";

/** It draws without a GPU, and asks nobody for anything of its own accord. */
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A Chromium of a test's own. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/**
 * As `describe`, for tests that need a browser. Where there is none they are skipped, and say so; not in CI, where that
 * would go unnoticed.
 */
export function describeChromium(name: string, body: () => void): void {
  if (existsSync(CHROMIUM) || process.env.CI === "true") {
    describe(name, body);
    return;
  }
  console.warn(`Skipped, as there is no ${CHROMIUM}: ${name}. Debian: apt-get install -y chromium`);
  describe.skip(name, body);
}
