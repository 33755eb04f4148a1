import type { OffloadKey } from "../../contracts/offload-key.js";
import type { JobBlock } from "./block-job.js";

const NOBODY: readonly JobBlock[] = Object.freeze([]);

/**
 * Stores of one key stand in line: the first writes the block, the others wait for it. So a key is written once however
 * many jobs bring it at the same time, and never by two writers at once.
 */
export class KeyLines {
  readonly #first = new Map<OffloadKey, JobBlock>();
  /** Only of the lines that are longer than one. */
  readonly #followers = new Map<OffloadKey, JobBlock[]>();
  #following = 0;

  /** Blocks that wait behind another of their key. */
  get following(): number {
    return this.#following;
  }

  /** Puts `block` in line; `true` when it is the first, and so is to write. */
  join(block: JobBlock): boolean {
    if (!this.#first.has(block.key)) {
      this.#first.set(block.key, block);
      return true;
    }
    const followers = this.#followers.get(block.key);
    if (followers === undefined) this.#followers.set(block.key, [block]);
    else followers.push(block);
    block.state = "following";
    this.#following++;
    return false;
  }

  /** The key is stored: ends its line and returns those who waited in it. */
  stored(key: OffloadKey): readonly JobBlock[] {
    this.#first.delete(key);
    const followers = this.#following === 0 ? undefined : this.#followers.get(key);
    if (followers === undefined) return NOBODY;
    this.#followers.delete(key);
    this.#following -= followers.length;
    return followers;
  }

  /** Takes `block` out of its line. Returns the one who is to write now, if `block` was to and others wait. */
  leave(block: JobBlock): JobBlock | null {
    const followers = this.#followers.get(block.key) ?? [];
    if (this.#first.get(block.key) !== block) {
      this.#remove(followers, block);
      return null;
    }
    const next = followers[0];
    if (next === undefined) {
      this.#first.delete(block.key);
      return null;
    }
    this.#remove(followers, next);
    this.#first.set(block.key, next);
    return next;
  }

  #remove(followers: JobBlock[], block: JobBlock): void {
    const position = followers.indexOf(block);
    if (position === -1) return;
    followers.splice(position, 1);
    this.#following--;
    if (followers.length === 0) this.#followers.delete(block.key);
  }
}
