import { statSync, utimesSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TierEnv } from "../../src/testing/conformance/tier-env.js";
import { keyOf } from "../../src/testing/conformance/tier-rig.js";
import { blockFileOf } from "../../src/tiers/fs/block-file.js";
import { fsNamespace } from "../../src/tiers/fs/namespace.js";
import { filesBelow } from "./temp-folder.js";

/** Bytes of the file of a block of the rig: with its trailer. */
export const FILE_BYTES = 1032;

/** Folder of the blocks of a rig's namespace, by name below the root. */
export const blocksFolderOf = ({ offloadingSpec }: TierEnv): string =>
  fsNamespace(offloadingSpec.model, offloadingSpec.blockBytes).blocks;

/** Path of block `n` of a rig. */
export const blockPathOf = (env: TierEnv, n: number, root = env.folder): string =>
  join(root, blocksFolderOf(env), blockFileOf(keyOf(n)) ?? "");

/** Numbers of the blocks whose files are below `root`, in any namespace. */
export async function storedBlocks(root: string): Promise<number[]> {
  const files = (await filesBelow(root)).filter((file) => file.endsWith(".bin"));
  return files.map((file) => Number.parseInt(file.split("/").at(-1) ?? "", 16)).sort((a, b) => a - b);
}

/** Bytes of all block files below `root`. */
export async function storedBytes(root: string): Promise<number> {
  const files = (await filesBelow(root)).filter((file) => file.endsWith(".bin"));
  return files.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
}

/** Puts a file there that an earlier run could have left, last used `ageS` seconds ago. */
export async function leaveFile(path: string, bytes: number, ageS: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  writeFileSync(path, Buffer.alloc(bytes));
  setAge(path, ageS);
}

/** As if the file had last been used `ageS` seconds ago. */
export function setAge(path: string, ageS: number): void {
  const atS = Date.now() / 1000 - ageS;
  utimesSync(path, atS, atS);
}
