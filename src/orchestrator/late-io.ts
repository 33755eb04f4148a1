/** I/O that goes on after its job was given up, and with it the slots that stay out of use until it ends. */
export class LateIo {
  readonly #onSettled: () => void;

  /** @param onSettled called after slots became free: somebody may be waiting for room */
  constructor(onSettled: () => void) {
    this.#onSettled = onSettled;
  }

  /** Runs `release` once `settled` settles, whichever way. */
  after(settled: unknown, release: () => void): void {
    const done = (): void => {
      release();
      this.#onSettled();
    };
    // A tier out of tree may have handed over anything; what is no promise has settled.
    void Promise.resolve(settled).then(done, done);
  }
}
