import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

/**
 * Tiers under full load, with more blocks than they have room for: `npm run soak -- [--minutes 10] [--type fs] [--seed 1]`.
 * Prints a line a minute and a verdict for each tier; exit code 1 when one is not as it must be.
 */
const { values } = parseArgs({
  options: {
    /** For each type. */
    minutes: { type: "string", default: "10" },
    type: { type: "string", multiple: true, default: ["fs", "log"] },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    /** What counts as a minute, in seconds: less for a try. */
    "minute-s": { type: "string", default: "60" },
  },
});
const SCRIPT = fileURLToPath(new URL("./soak-tier.ts", import.meta.url));

let failed = 0;
for (const type of values.type) {
  const args = [...process.execArgv, SCRIPT, type, values.minutes, values["minute-s"], values.seed];
  const [code] = (await once(spawn(process.execPath, args, { stdio: "inherit" }), "close")) as [number | null];
  if (code !== 0) failed++;
}
process.stdout.write(`${values.type.length - failed} of ${values.type.length} tiers are as they must be\n`);
process.exitCode = failed === 0 ? 0 : 1;
