import type { ModelSpec } from "../../contracts/offloading-spec.js";
import { readableName, storageDigest, storageFields, storageNamespace } from "../../contracts/storage-namespace.js";

/** The part of a root folder that belongs to blocks of one kind. */
export interface DiskNamespace {
  /** Folder of `config.json`, by name below the root. */
  readonly name: string;
  /** Folder of the blocks, by name below the root. */
  readonly blocks: string;
  /** Content of `config.json`: what the name is the digest of, for people to read. */
  readonly config: string;
}

/**
 * The namespace of blocks of `blockBytes` bytes of `model`; see {@link storageNamespace}.
 *
 * @param formatVersion of the tier's layout of folders and files
 */
export function diskNamespace(model: ModelSpec, blockBytes: number, formatVersion: number): DiskNamespace {
  const identity = { model, blockBytes };
  return {
    name: `${readableName(model.name)}_${storageDigest(identity, formatVersion)}`,
    blocks: storageNamespace(identity, formatVersion),
    config: `${JSON.stringify(storageFields(identity, formatVersion), null, 2)}\n`,
  };
}
