import type { OffloadKey } from "../../contracts/offload-key.js";
import type { JobBlock } from "./block-job.js";

/**
 * Stores of one key stand in line: the first writes the block, the others wait for it. So a key is written once however
 * many jobs bring it at the same time, and never by two writers at once.
 */
export class KeyLines {
  readonly #lines = new Map<OffloadKey, JobBlock[]>();
  #following = 0;

  /** Blocks that wait behind another of their key. */
  get following(): number {
    return this.#following;
  }

  /** Puts `block` in line; `true` when it is the first, and so is to write. */
  join(block: JobBlock): boolean {
    const line = this.#lines.get(block.key);
    if (line === undefined) {
      this.#lines.set(block.key, [block]);
      return true;
    }
    block.state = "following";
    line.push(block);
    this.#following++;
    return false;
  }

  /** The key is stored: ends its line and returns those who waited in it. */
  stored(first: JobBlock): JobBlock[] {
    const [, ...followers] = this.#lines.get(first.key) ?? [];
    this.#lines.delete(first.key);
    this.#following -= followers.length;
    return followers;
  }

  /** Takes `block` out of its line. Returns the one who is to write now, if `block` was to and others wait. */
  leave(block: JobBlock): JobBlock | null {
    const line = this.#lines.get(block.key);
    const position = line?.indexOf(block) ?? -1;
    if (line === undefined || position === -1) return null;
    line.splice(position, 1);
    if (position > 0) {
      this.#following--;
      return null;
    }
    const next = line[0];
    if (next === undefined) {
      this.#lines.delete(block.key);
      return null;
    }
    this.#following--;
    return next;
  }
}
