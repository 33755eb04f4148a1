import { createHash } from "node:crypto";
import type { ModelSpec } from "../../contracts/offloading-spec.js";
import { diskNamespace, type DiskNamespace } from "../disk/disk-namespace.js";
import type { NamespaceId } from "./worker/segment-format.js";

export interface LogNamespace extends DiskNamespace {
  /** Goes into headers and checksums, as files can be copied from one folder to another. */
  readonly id: NamespaceId;
}

/** Changes whenever the layout of folders, segments or entries changes, so that no version reads another's as its own. */
const FORMAT_VERSION = 1;

/**
 * The namespace of blocks of `blockBytes` bytes of `model`. The folder of segments has a name that no other tier's has,
 * so that an `fs` tier may have the same root.
 */
export function logNamespace(model: ModelSpec, blockBytes: number): LogNamespace {
  const namespace = diskNamespace(model, blockBytes, FORMAT_VERSION);
  const digest = createHash("sha256").update(namespace.config).digest();
  return { ...namespace, blocks: `${namespace.blocks}_log`, id: [digest.readUInt32LE(0), digest.readUInt32LE(4)] };
}
