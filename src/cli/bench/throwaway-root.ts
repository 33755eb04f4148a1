import { mkdir, rm, rmdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

type TierConfig = Readonly<Record<string, unknown>>;

/** Both spellings of the option that says below which folder a tier on a disk keeps its blocks. */
const ROOT_KEYS = ["root_dir", "rootDir"] as const;

/**
 * Hidden folders of a bench, one in each folder of a tier: on the same disk, and away from everybody's blocks, so that
 * none of them is evicted or recycled to make room for those of the bench.
 */
export class ThrowawayRoot {
  /** The tier's config, with these folders for its own. */
  readonly config: TierConfig;
  readonly #folders: readonly string[];
  /** The first folder that was made on the way to each, for those that were not there. */
  readonly #made: string[] = [];

  private constructor(config: TierConfig, folders: readonly string[]) {
    this.config = config;
    this.#folders = folders;
  }

  /** `null` for a tier without such a folder. @param name of the hidden folders, of nobody else's */
  static of(config: TierConfig, name: string): ThrowawayRoot | null {
    const key = ROOT_KEYS.find((spelling) => typeof config[spelling] === "string");
    if (key === undefined) return null;
    // With several folders to spread over, they are separated by commas.
    const isSharded = (config.path_sharding ?? config.pathSharding) !== undefined;
    const roots = isSharded ? String(config[key]).split(",") : [String(config[key])];
    const folders = roots.map((root) => join(resolve(root.trim()), `.${name}`));
    return new ThrowawayRoot({ ...config, [key]: folders.join(",") }, folders);
  }

  async create(): Promise<void> {
    for (const folder of this.#folders) {
      const first = await mkdir(dirname(folder), { recursive: true });
      if (first !== undefined) this.#made.push(first);
      await mkdir(folder);
    }
  }

  /** Everything that the bench wrote, and the folders that were not there before, unless somebody uses them now. */
  async remove(): Promise<void> {
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    for (const first of this.#made) await removeEmpty(first, this.#folders);
  }
}

/** Removes `first`, and what lies between it and the folders that were in it. */
async function removeEmpty(first: string, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    for (let path = dirname(folder); path.startsWith(first) && path.length >= first.length; path = dirname(path)) {
      // Not empty, or gone: it is not ours to remove.
      const isRemoved = await rmdir(path).then(
        () => true,
        () => false,
      );
      if (!isRemoved) break;
    }
  }
}
