import type { Mismatch } from "./replay-run.js";

/** What to say of a block with wrong bytes. */
export function mismatchText({ request, block, byte, source }: Mismatch): string {
  return (
    `kvtier: wrong bytes: block ${block} of request ${request}, served by ${source}, differs from what was stored from ` +
    `byte ${byte} on. Do not use this tier before the cause is found: run \`kvtier doctor\` on the config.`
  );
}
