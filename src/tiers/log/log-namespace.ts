import type { ModelSpec } from "../../contracts/offloading-spec.js";
import { diskNamespace, type DiskNamespace } from "../disk/disk-namespace.js";

/** Changes whenever the layout of folders, segments or entries changes, so that no version reads another's as its own. */
const FORMAT_VERSION = 1;

/**
 * The namespace of blocks of `blockBytes` bytes of `model`. The folder of segments has a name that no other tier's has,
 * so that an `fs` tier may have the same root.
 */
export function logNamespace(model: ModelSpec, blockBytes: number): DiskNamespace {
  const namespace = diskNamespace(model, blockBytes, FORMAT_VERSION);
  return { ...namespace, blocks: `${namespace.blocks}_log` };
}
