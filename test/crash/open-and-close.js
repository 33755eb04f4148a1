import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createTiering, silentLogger } from "kvtier";
import { seeded } from "../support/known-blocks.js";

/**
 * Opens a tier and closes it again, at a random moment after its start: its threads still start, have just started, or
 * wait for work.
 */
/** @type {unknown} */
const argument = JSON.parse(process.argv[2] ?? "");
const { type, rounds, seed } = /** @type {import("./messages.js").OpenAndClose} */ (argument);
const MAX_TURNS = 400;
const BLOCK_BYTES = 4096;
const random = seeded(seed);
const folder = await mkdtemp(join(tmpdir(), "kvtier-crash-"));
try {
  for (let round = 0; round < rounds; round++) {
    const { close } = await createTiering(
      {
        cpu_bytes_to_use: 8 * BLOCK_BYTES,
        block_bytes: BLOCK_BYTES,
        model: { name: "crash", dtype: "float16", tokens_per_block: 16 },
        secondary_tiers: [{ type, root_dir: folder, n_read_threads: 4, n_write_threads: 4 }],
      },
      { logger: silentLogger },
    );
    // Early moments are tried more often than late ones.
    for (let turns = Math.floor(random() ** 2 * MAX_TURNS); turns > 0; turns--) await nextTurn();
    await close();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.disconnect();
