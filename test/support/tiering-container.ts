import { fileURLToPath } from "node:url";
import { Container } from "inversify";
import { silentLogger } from "../../src/contracts/logger.js";
import type { SecondaryTierFactory } from "../../src/factory/secondary-tier-factory.js";
import { tieringModule, type TieringModuleOptions } from "../../src/factory/tiering-module.js";
import { PrimaryKvView } from "../../src/primary/primary-kv-view.js";
import { createTestSpec } from "../../src/testing/create-test-spec.js";
import { ManualClock } from "../../src/testing/manual-clock.js";
import { TOKENS } from "../../src/tokens.js";

/** Where the modules lie that tests name in configs. */
export const FIXTURES = fileURLToPath(new URL("../fixtures/modules", import.meta.url));

export interface TestContainer {
  readonly container: Container;
  readonly factory: SecondaryTierFactory;
  readonly clock: ManualClock;
}

/** `tieringModule`, as tests want it: a small pool, a clock to move by hand, no log, and modules from the fixtures. */
export function testModule(options: Partial<TieringModuleOptions> = {}): ReturnType<typeof tieringModule> {
  const spec = createTestSpec();
  return tieringModule({
    primaryKvView: PrimaryKvView.allocate(spec.numBlocks, spec.blockBytes),
    offloadingSpec: spec,
    resolveFrom: FIXTURES,
    logger: silentLogger,
    clock: new ManualClock(),
    ...options,
  });
}

/** A container with that module, and its factory. */
export function testContainer(
  options: Partial<TieringModuleOptions> = {},
  container: Container = new Container(),
): TestContainer {
  const clock = new ManualClock();
  container.load(testModule({ clock, ...options }));
  return { container, factory: container.get<SecondaryTierFactory>(TOKENS.tierFactory), clock };
}

/** What `run` rejects with; fails the test when it does not. */
export async function errorOf(run: () => unknown): Promise<Error> {
  try {
    await run();
  } catch (error) {
    if (error instanceof Error) return error;
    throw new TypeError(`Thrown was no Error but ${String(error)}`);
  }
  throw new TypeError("Nothing was thrown.");
}
