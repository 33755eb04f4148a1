import { createHash } from "node:crypto";
import type { OffloadingSpec } from "./offloading-spec.js";

const MAX_READABLE_CHARACTERS = 64;
const DIGEST_DIGITS = 12;

/** What of a spec changes the bytes of a block. */
export type StorageIdentity = Pick<OffloadingSpec, "model" | "blockBytes">;

/**
 * A name for everything that is stored for one kind of block: one model, element type, layout, block size and rank. A
 * tier whose storage outlives the process, or is shared, keeps blocks of different namespaces apart; the same key means
 * other bytes in each. Safe as a file, folder or object name, and the same in every process.
 *
 * @param formatVersion of the tier's own layout: raise it when new blocks must not be read as old ones
 */
export function storageNamespace(spec: StorageIdentity, formatVersion = 1): string {
  return `${readableName(spec.model.name)}_${storageDigest(spec, formatVersion)}_r${spec.model.rank}`;
}

/** All that {@link storageNamespace} is the digest of, keys sorted. */
export function storageFields({ model, blockBytes }: StorageIdentity, formatVersion: number): Record<string, unknown> {
  const fields = { ...model, blockBytes, formatVersion };
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first digits of a SHA-256 over {@link storageFields}, lower-case hex. */
export function storageDigest(spec: StorageIdentity, formatVersion: number): string {
  const fields = JSON.stringify(storageFields(spec, formatVersion));
  return createHash("sha256").update(fields).digest("hex").slice(0, DIGEST_DIGITS);
}

/** A model's name as part of a file name: for people only, the digest tells `a/b` from `a_b`. */
export function readableName(modelName: string): string {
  return modelName
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^\./, "_")
    .slice(0, MAX_READABLE_CHARACTERS);
}
