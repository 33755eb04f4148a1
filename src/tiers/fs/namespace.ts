import { createHash } from "node:crypto";
import type { ModelSpec } from "../../contracts/offloading-spec.js";

/** Changes whenever the layout of folders or files changes, so that no version reads another's files as its own. */
const FORMAT_VERSION = 1;
const MAX_READABLE_CHARACTERS = 64;
const DIGEST_DIGITS = 12;

/** The part of a root folder that belongs to blocks of one kind. */
export interface FsNamespace {
  /** Folder of `config.json`, by name below the root. */
  readonly name: string;
  /** Folder of the blocks, by name below the root. */
  readonly blocks: string;
  /** Content of `config.json`: what the name is the digest of, for people to read. */
  readonly config: string;
}

/**
 * The namespace of blocks of `blockBytes` bytes of `model`. Everything that changes their bytes goes in, so that a block
 * of one model, type, layout or rank is never found as one of another. The same in every process.
 */
export function fsNamespace(model: ModelSpec, blockBytes: number): FsNamespace {
  const identity = sortedByKey({ ...model, blockBytes, formatVersion: FORMAT_VERSION });
  const digest = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, DIGEST_DIGITS);
  const name = `${readable(model.name)}_${digest}`;
  return { name, blocks: `${name}_r${model.rank}`, config: `${JSON.stringify(identity, null, 2)}\n` };
}

function sortedByKey(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A model's name as a part of a file name: for people only, the digest tells `a/b` from `a_b`. */
function readable(modelName: string): string {
  return modelName
    .replace(/[^A-Za-z0-9._-]/g, "_")
    .replace(/^\./, "_")
    .slice(0, MAX_READABLE_CHARACTERS);
}
