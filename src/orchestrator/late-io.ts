/** I/O that goes on after its job was given up, and with it the slots that stay out of use until it ends. */
export class LateIo {
  #outstanding = 0;
  readonly #onSettled: () => void;

  /** @param onSettled called after slots became free: somebody may be waiting for room */
  constructor(onSettled: () => void) {
    this.#onSettled = onSettled;
  }

  get outstanding(): number {
    return this.#outstanding;
  }

  /** Runs `release` once `settled` settles, whichever way. */
  after(settled: Promise<unknown>, release: () => void): void {
    this.#outstanding++;
    const done = (): void => {
      this.#outstanding--;
      release();
      this.#onSettled();
    };
    settled.then(done, done);
  }
}
