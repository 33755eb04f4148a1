import { randomBytes } from "node:crypto";
import { KvTierError } from "../../errors/kv-tier-error.js";
import { OwnerFiles, type OwnerRecord } from "./owner-files.js";
import { hasEnded, processIdentity, type ProcessIdentity } from "./process-identity.js";

/** An owner that has given no sign of life for this long is taken for gone. */
export const STALE_AFTER_S = 10;
/** Others may come and go while this process tries; each try takes a few calls of the file system. */
const MAX_TRIES = 20;

/**
 * What became of the owner before: `gone` when it has certainly ended, by its own word or by what the system says;
 * `silent` when it gave no sign of life for long. A silent one may wake up, and go on with what it was at.
 */
export type Predecessor = "gone" | "silent";

export interface Ownership {
  readonly files: OwnerFiles;
  readonly predecessor: Predecessor;
  readonly identity: ProcessIdentity;
}

/**
 * Makes this process the owner of `folder`.
 *
 * @throws KvTierError `TIER_INIT_FAILED` when another one is, with its host and process id.
 */
export async function takeOwnership(folder: string): Promise<Ownership> {
  const identity = await processIdentity();
  const files = await OwnerFiles.create(folder, randomBytes(8).toString("hex"), identity);
  try {
    const predecessor = await succeedAny(folder, files, identity);
    await files.removeLeftovers(STALE_AFTER_S * 1000);
    return { files, predecessor, identity };
  } catch (error) {
    await files.remove();
    throw error;
  }
}

async function succeedAny(folder: string, files: OwnerFiles, self: ProcessIdentity): Promise<Predecessor> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (await files.claim()) return "gone";
    const owner = await files.owner();
    const record = owner === null ? null : await files.recordOf(owner);
    // It gave the folder up while we looked.
    if (owner === null || record === null) continue;
    const predecessor = await judge(files, record, self);
    if (predecessor === null) throw inUse(folder, record.identity);
    if (await files.succeed(owner)) return predecessor;
  }
  throw new KvTierError("TIER_INIT_FAILED", `Too many processes compete for the folder ${folder}. Give each its own.`);
}

/** `null` when the owner is alive. */
async function judge(files: OwnerFiles, record: OwnerRecord, self: ProcessIdentity): Promise<Predecessor | null> {
  if (record.identity !== null && hasEnded(record.identity, self)) return "gone";
  // By one clock, that of the file system: those of two machines may differ.
  await files.showLife();
  const silentMs = (await files.aliveAtMs()) - record.aliveAtMs;
  // A sign of life from the future is one from before the clock was set back.
  return Math.abs(silentMs) > STALE_AFTER_S * 1000 ? "silent" : null;
}

function inUse(folder: string, owner: ProcessIdentity | null): KvTierError {
  const who = owner === null ? "another process" : `process ${owner.pid} on host ${owner.host}`;
  return new KvTierError(
    "TIER_INIT_FAILED",
    `The folder ${folder} is in use by ${who}. A log tier's folder has one owner: give each process a root_dir of its ` +
      `own, or use the fs tier, which processes may share. A process that was killed is taken for gone at once on the ` +
      `same machine, otherwise ${STALE_AFTER_S} s after its last sign of life.`,
  );
}
