import type { ModelSpec } from "../../contracts/offloading-spec.js";
import { readableName, storageDigest, storageFields, storageNamespace } from "../../contracts/storage-namespace.js";

/** Changes whenever the layout of folders or files changes, so that no version reads another's files as its own. */
const FORMAT_VERSION = 1;

/** The part of a root folder that belongs to blocks of one kind. */
export interface FsNamespace {
  /** Folder of `config.json`, by name below the root. */
  readonly name: string;
  /** Folder of the blocks, by name below the root. */
  readonly blocks: string;
  /** Content of `config.json`: what the name is the digest of, for people to read. */
  readonly config: string;
}

/** The namespace of blocks of `blockBytes` bytes of `model`; see {@link storageNamespace}. */
export function fsNamespace(model: ModelSpec, blockBytes: number): FsNamespace {
  const identity = { model, blockBytes };
  return {
    name: `${readableName(model.name)}_${storageDigest(identity, FORMAT_VERSION)}`,
    blocks: storageNamespace(identity, FORMAT_VERSION),
    config: `${JSON.stringify(storageFields(identity, FORMAT_VERSION), null, 2)}\n`,
  };
}
