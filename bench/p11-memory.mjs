import { join } from "node:path";
import { sizeName } from "./lib/arguments.mjs";
import { bench } from "./lib/bench.mjs";
import { diskTiers } from "./lib/built-tiers.mjs";
import { inProcess } from "./lib/in-process.mjs";
import { withFolder } from "./lib/with-folder.mjs";

const SIZES = [64 * 2 ** 10, 2 ** 20];
const MIB = 2 ** 20;

await bench(async (report, { dir, sizes }) => {
  const types = await diskTiers();
  for (const type of /** @type {const} */ (["fs", "log"])) {
    for (const blockBytes of [...SIZES, ...sizes]) {
      const figure = { id: "P11", size: sizeName(blockBytes), op: type, against: null, unit: "MiB", theirs: null };
      const target = { max: 64 };
      if (!types.includes(type)) report({ ...figure, ours: null, target, remark: "not built" });
      else {
        const measured = await withFolder(dir, (folder) =>
          inProcess("transfer-memory.mjs", { type, folder: join(folder, type), blockBytes }),
        );
        const { grown, pool } = /** @type {{ grown: number, pool: number }} */ (measured);
        report({ ...figure, ours: (grown - pool) / MIB, target, remark: `beyond a pool of ${pool / MIB} MiB` });
      }
    }
  }
});
