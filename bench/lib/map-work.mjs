/** @import { OffloadKey } from "kvtier" */

/** Items in turn, again from the first after the last. @template T */
export class Ring {
  /** @type {readonly T[]} */
  #items;
  #next;

  /** @param {readonly T[]} items at least one @param {number} [first] place of the one that comes first */
  constructor(items, first = 0) {
    this.#items = items;
    this.#next = first;
  }

  /** @returns {T} */
  next() {
    const item = this.ahead(0);
    if (++this.#next === this.#items.length) this.#next = 0;
    return item;
  }

  /** The item whose turn comes after `count` others. @param {number} count less than there are @returns {T} */
  ahead(count) {
    const at = this.#next + count;
    return /** @type {T} */ (this.#items[at < this.#items.length ? at : at - this.#items.length]);
  }
}

/**
 * The five operations without which no block gets into a full index: is it there, take it in, find it again when it is
 * written, mark it, and forget the one that leaves (get, set, get, set, delete).
 *
 * @param {Map<OffloadKey, number>} map @param {readonly OffloadKey[]} arriving @param {readonly OffloadKey[]} leaving
 */
export function replaceBlocks(map, arriving, leaving) {
  for (const key of arriving) if (map.get(key) === undefined) map.set(key, 0);
  for (const key of arriving) map.set(key, (map.get(key) ?? 0) + 1);
  for (const key of leaving) map.delete(key);
}
