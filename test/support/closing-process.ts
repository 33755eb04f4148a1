import { createTiering } from "../../src/cache/create-tiering.js";

/**
 * A process that does nothing but open a tier and close it again, many times: `closing-process.ts <tier> <root>`. The last
 * answers of threads come while they are ended, and if nobody waited for the threads then, it would end with exit code 13.
 */
const ROUNDS = 40;
const [type = "fs", root = ""] = process.argv.slice(2);
for (let round = 0; round < ROUNDS; round++) {
  const { close } = await createTiering({
    cpu_bytes_to_use: 4096,
    block_bytes: 1024,
    model: { name: "m", dtype: "f16", tokens_per_block: 16 },
    secondary_tiers: [{ type, root_dir: root }],
  });
  await close();
}
process.stdout.write("done");
