import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createTiering, silentLogger } from "kvtier";
import { diskContents } from "../support/disk-contents.js";
import { POOL_BLOCKS, SoakLoad } from "./soak-load.js";
import { faultsOf, type Minute } from "./verdict.js";

/** A tier under full load in a process of its own: `soak-tier.ts <type> <minutes> <seconds of a minute> <seed>`. */
const [type = "", ...numbers] = process.argv.slice(2);
const [minutes = 10, minuteS = 60, seed = 1] = numbers.map(Number);

const MIB = 2 ** 20;
const BLOCK_BYTES = 256 * 1024;
/** Blocks there is room for, and those that want it. */
const [ROOM, BLOCKS] = [1500, 6000];
/** More than a block takes on the disk besides its bytes. */
const OVERHEAD_BYTES = 4096;
const MAX_BYTES = ROOM * (BLOCK_BYTES + OVERHEAD_BYTES);
/** No more can be in flight than the pool has. */
const IN_FLIGHT_BYTES = POOL_BLOCKS * (BLOCK_BYTES + OVERHEAD_BYTES);
const LOOK_EVERY_S = 2;
const LIMITS = { latencyGrowth: 2, memoryGrowth: 32, disk: (MAX_BYTES + IN_FLIGHT_BYTES) / MIB };

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const now = (): number => performance.now() / 1000;

/** The most bytes that are on the disk until `endS`. */
async function watchDisk(root: string, endS: number): Promise<number> {
  let most = 0;
  while (now() < endS) {
    await sleep(1000 * Math.max(0, Math.min(LOOK_EVERY_S, endS - now())));
    most = Math.max(most, (await diskContents(root)).bytes);
  }
  return most;
}

function memoryAfterCollection(): number {
  if (globalThis.gc === undefined) throw new Error("Start it with --expose-gc.");
  // Once for what is dead, and once for what its finalizers held.
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().rss / MIB;
}

async function measure(load: SoakLoad, root: string): Promise<Minute> {
  const before = load.moved;
  load.acquires.reset();
  load.puts.reset();
  const startS = now();
  const disk = (await watchDisk(root, startS + minuteS)) / MIB;
  const mibPerS = (blocks: number): number => (blocks * BLOCK_BYTES) / MIB / (now() - startS);
  return {
    acquireP50: load.acquires.quantile(0.5),
    acquireP99: load.acquires.quantile(0.99),
    putP50: load.puts.quantile(0.5),
    putP99: load.puts.quantile(0.99),
    loaded: mibPerS(load.moved.loaded - before.loaded),
    stored: mibPerS(load.moved.stored - before.stored),
    memory: memoryAfterCollection(),
    disk,
  };
}

const COLUMNS: readonly (readonly [title: string, of: (minute: Minute) => number, digits: number])[] = [
  ["acquire p50 ms", (minute) => minute.acquireP50, 2],
  ["p99 ms", (minute) => minute.acquireP99, 2],
  ["put p50 ms", (minute) => minute.putP50, 2],
  ["p99 ms", (minute) => minute.putP99, 2],
  ["loaded MiB/s", (minute) => minute.loaded, 0],
  ["stored MiB/s", (minute) => minute.stored, 0],
  ["RSS MiB", (minute) => minute.memory, 1],
  ["disk MiB", (minute) => minute.disk, 1],
];

const root = await mkdtemp(join(tmpdir(), "kvtier-soak-"));
try {
  const { cache, close } = await createTiering(
    {
      cpu_bytes_to_use: POOL_BLOCKS * BLOCK_BYTES,
      block_bytes: BLOCK_BYTES,
      model: { name: "soak", dtype: "float16", tokens_per_block: 16 },
      secondary_tiers: [{ type, root_dir: root, max_bytes: MAX_BYTES }],
    },
    { logger: silentLogger },
  );
  const load = new SoakLoad({ cache, blockBytes: BLOCK_BYTES, blocks: BLOCKS, seed });
  const running = load.run();
  say(`${type}: ${minutes} minutes, seed ${seed}, max_bytes ${(MAX_BYTES / MIB).toFixed(1)} MiB`);
  say(["minute", ...COLUMNS.map(([title]) => title)].join("\t"));
  const measured: Minute[] = [];
  for (let i = 1; i <= minutes; i++) {
    const minute = await measure(load, root);
    measured.push(minute);
    say(
      [String(i), ...COLUMNS.map(([title, of, digits]) => of(minute).toFixed(digits).padStart(title.length))].join(
        "\t",
      ),
    );
  }
  load.stop();
  await running;
  await close();
  const faults = faultsOf(measured, load.wrongBlocks, LIMITS);
  const { loaded, stored } = load.moved;
  say(`${type}: ${loaded} blocks loaded and verified, ${stored} stored, ${load.wrongBlocks} wrong`);
  say(`${type}: ${faults.length === 0 ? "fine" : faults.join("; ")}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await rm(root, { recursive: true, force: true });
}
