import { readdir, readFile, stat, writeFile, mkdir } from "node:fs/promises";
import { join } from "node:path";

/** Names of files that a tier keeps beside blocks, and that `max_bytes` does not count. */
const SMALL_FILE = /(?:^|\/)\.|\.(?:json|lock|idx)(?:\/|$)/;
const FOREIGN = "not of the tier.txt";

export interface DiskContents {
  /** Bytes of everything that counts as stored. */
  readonly bytes: number;
  /** Files that hold blocks: one each, or segments. */
  readonly dataFiles: number;
  /** Files that describe or lock something. */
  readonly smallFiles: number;
  /** Times of the last write of files that are not published, milliseconds since 1970. */
  readonly unfinishedSince: readonly number[];
  /** Files that are neither the tier's, by their name, nor the foreign ones. */
  readonly unknown: readonly string[];
}

/** What is in a folder now. Files that go while it looks are not there. */
export async function diskContents(root: string): Promise<DiskContents> {
  const unfinishedSince: number[] = [];
  const unknown: string[] = [];
  let bytes = 0;
  let dataFiles = 0;
  let smallFiles = 0;
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (!entry.isFile() || entry.name === FOREIGN) continue;
    if (SMALL_FILE.test(name)) {
      smallFiles++;
      continue;
    }
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    bytes += found.size;
    if (name.endsWith(".tmp")) unfinishedSince.push(found.mtimeMs);
    else if (/\.(?:bin|seg)$/.test(name)) dataFiles++;
    else unknown.push(name);
  }
  return { bytes, dataFiles, smallFiles, unfinishedSince, unknown };
}

/** Puts files into the folder, at every depth there is, that no tier may touch. Returns how many. */
export async function plantForeignFiles(root: string): Promise<number> {
  await mkdir(root, { recursive: true });
  const folders = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  const paths = [root, ...folders.map((entry) => join(entry.parentPath, entry.name))].filter(
    (path) => !SMALL_FILE.test(path.slice(root.length)),
  );
  for (const path of paths) await writeFile(join(path, FOREIGN), path);
  return paths.length;
}

/** How many of them are there as they were. */
export async function countForeignFiles(root: string): Promise<number> {
  let count = 0;
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (entry.name !== FOREIGN) continue;
    if ((await readFile(join(entry.parentPath, entry.name), "utf8")) === entry.parentPath) count++;
  }
  return count;
}
