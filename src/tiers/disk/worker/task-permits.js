/** Tasks that a thread may have at a time: one that runs, and one that waits, so that no thread waits for the event loop. */
export const PLACES = 2;

/** What stands in a place whose task has begun, or that has none. No permit has this number. */
const NOTHING = 0;

/**
 * Which of the tasks that a thread was sent it may still begin, in memory that both sides share: a task that was sent
 * cannot be called back, but its permit can be, as long as the thread has not taken it.
 */
export class TaskPermits {
  #places;

  /** @param {SharedArrayBuffer} memory `TaskPermits.BYTES` long, zeros at first */
  constructor(memory) {
    this.#places = new Int32Array(memory);
  }

  static BYTES = PLACES * Int32Array.BYTES_PER_ELEMENT;

  /** @param {number} place 0 to `PLACES - 1` @param {number} permit above 0; unlike that of any task that is on its way */
  give(place, permit) {
    Atomics.store(this.#places, place, permit);
  }

  /**
   * To begin the task, or to call it back: whoever is first has it.
   *
   * @param {number} place @param {number} permit
   * @returns {boolean} whether the permit was still there
   */
  take(place, permit) {
    return Atomics.compareExchange(this.#places, place, permit, NOTHING) === permit;
  }
}
