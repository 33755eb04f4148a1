import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, writeFile, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../disk/worker/error-code.js";
import type { ProcessIdentity } from "./process-identity.js";

const LOCK = "owner.lock";
const TOKEN = /^([0-9a-f]+)\.lock$/;
const LEFTOVER = /^owner-([0-9a-f]+)\.(?:json|tmp)$/;
/** What `rename` says when there is a folder that is not empty where the new one is to go; on Windows, any folder. */
const TAKEN: ReadonlySet<unknown> = new Set(["ENOTEMPTY", "EEXIST", "EPERM"]);

/** What is known of an owner: `null` when it left no record. */
export interface OwnerRecord {
  readonly identity: ProcessIdentity | null;
  /** When it last gave a sign of life, in milliseconds of the file system's clock. */
  readonly aliveAtMs: number;
}

/**
 * The files by which processes agree on the owner of a folder, as one of them, `nonce`, sees them.
 *
 * The owner is whoever's token, `owner.lock/<nonce>.lock`, is there. The first one moves a whole lock folder with its
 * token into place, later ones rename the token of their predecessor: either way one of many succeeds, and the others see
 * that they were late. Who an owner is and when it was last alive is told by its record, `owner-<nonce>.json`, which it
 * writes before it tries for the token and rewrites from then on.
 */
export class OwnerFiles {
  readonly #folder: string;
  readonly #nonce: string;
  readonly #record: FileHandle;
  readonly #content: string;

  private constructor(folder: string, nonce: string, record: FileHandle, content: string) {
    this.#folder = folder;
    this.#nonce = nonce;
    this.#record = record;
    this.#content = content;
  }

  static async create(folder: string, nonce: string, identity: ProcessIdentity): Promise<OwnerFiles> {
    const record = await open(join(folder, `owner-${nonce}.json`), "wx");
    const files = new OwnerFiles(folder, nonce, record, `${JSON.stringify(identity, null, 2)}\n`);
    await files.showLife();
    return files;
  }

  /** Path that is there as long as this process owns the folder. */
  get token(): string {
    return this.#tokenOf(this.#nonce);
  }

  /** Rewrites the record, so that the file system notes the time by its own clock. */
  async showLife(): Promise<void> {
    await this.#record.write(this.#content, 0);
  }

  /** The time of the file system's clock at the last sign of life. */
  async aliveAtMs(): Promise<number> {
    return (await this.#record.stat()).mtimeMs;
  }

  /** Becomes the owner of a folder that has none; `false` when it has one. */
  async claim(): Promise<boolean> {
    const temp = join(this.#folder, `owner-${this.#nonce}.tmp`);
    await mkdir(temp, { recursive: true });
    await writeFile(join(temp, `${this.#nonce}.lock`), "");
    try {
      // One of our own kind that was given up half-way is empty, and is no obstacle; on Windows it would be.
      await rmdir(join(this.#folder, LOCK)).catch(() => {});
      await rename(temp, join(this.#folder, LOCK));
      return true;
    } catch (error) {
      await rm(temp, { recursive: true, force: true });
      if (TAKEN.has(errorCode(error))) return false;
      throw error;
    }
  }

  /** The nonce of the owner, `null` when there is none. */
  async owner(): Promise<string | null> {
    for (const name of await namesIn(join(this.#folder, LOCK))) {
      const nonce = TOKEN.exec(name)?.[1];
      if (nonce !== undefined) return nonce;
    }
    return null;
  }

  async recordOf(nonce: string): Promise<OwnerRecord | null> {
    const path = join(this.#folder, `owner-${nonce}.json`);
    const found = (await statOrNull(path)) ?? (await statOrNull(this.#tokenOf(nonce)));
    return found === null ? null : { identity: await readIdentity(path), aliveAtMs: found.mtimeMs };
  }

  /** Becomes the owner in the place of `nonce`; `false` when that one is the owner no more. */
  async succeed(nonce: string): Promise<boolean> {
    try {
      await rename(this.#tokenOf(nonce), this.token);
      return true;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    }
  }

  /** Whether this process is the owner, as far as can be told: a file system that does not answer says nothing. */
  async isOwner(): Promise<boolean> {
    try {
      await stat(this.token);
      return true;
    } catch (error) {
      return errorCode(error) !== "ENOENT" && errorCode(error) !== "ENOTDIR";
    }
  }

  /** Removes what processes left that gave no sign of life for `ms` milliseconds. */
  async removeLeftovers(ms: number): Promise<void> {
    const now = await this.aliveAtMs();
    for (const name of await namesIn(this.#folder)) {
      const nonce = LEFTOVER.exec(name)?.[1];
      if (nonce === undefined || nonce === this.#nonce) continue;
      const found = await statOrNull(join(this.#folder, name));
      if (found !== null && now - found.mtimeMs > ms) {
        await rm(join(this.#folder, name), { recursive: true, force: true });
      }
    }
  }

  /** Gives the folder up, if this process owns it, and leaves nothing behind. */
  async remove(): Promise<void> {
    await this.#record.close();
    await rm(join(this.#folder, `owner-${this.#nonce}.json`), { force: true });
    await rm(this.token, { force: true });
    await rmdir(join(this.#folder, LOCK)).catch(() => {});
  }

  #tokenOf(nonce: string): string {
    return join(this.#folder, LOCK, `${nonce}.lock`);
  }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function statOrNull(path: string): Promise<{ readonly mtimeMs: number } | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return null;
    throw error;
  }
}

/** A record that was cut off half-way, or damaged, is none. */
async function readIdentity(path: string): Promise<ProcessIdentity | null> {
  try {
    const { host, pid, boot, pidNamespace } = JSON.parse(await readFile(path, "utf8")) as Record<string, unknown>;
    if (typeof host !== "string" || typeof pid !== "number") return null;
    return { host, pid, boot: textOrNull(boot), pidNamespace: textOrNull(pidNamespace) };
  } catch {
    return null;
  }
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
