import type { ModelSpec } from "../../contracts/offloading-spec.js";
import { diskNamespace, type DiskNamespace } from "../disk/disk-namespace.js";

/** Changes whenever the layout of folders or files changes, so that no version reads another's files as its own. */
const FORMAT_VERSION = 1;

/** The namespace of blocks of `blockBytes` bytes of `model`. */
export function fsNamespace(model: ModelSpec, blockBytes: number): DiskNamespace {
  return diskNamespace(model, blockBytes, FORMAT_VERSION);
}
