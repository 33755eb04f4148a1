/** Files that a store or load is at work on, and those that are being evicted: never both. */
export class BusyFiles {
  readonly #pins = new Map<string, number>();
  #doomed: ReadonlySet<string> = new Set();

  /** What is pinned now. */
  get pinned(): readonly string[] {
    return [...this.#pins.keys()];
  }

  isPinned(file: string): boolean {
    return this.#pins.has(file);
  }

  pin(files: readonly string[]): void {
    for (const file of files) this.#pins.set(file, (this.#pins.get(file) ?? 0) + 1);
  }

  unpin(files: readonly string[]): void {
    for (const file of files) {
      const pins = this.#pins.get(file) ?? 0;
      if (pins > 1) this.#pins.set(file, pins - 1);
      else this.#pins.delete(file);
    }
  }

  isDoomed(file: string): boolean {
    return this.#doomed.has(file);
  }

  /** Those of `files` that are not pinned are doomed, until the next call. Returns those that are pinned. */
  doom(files: readonly string[]): readonly string[] {
    this.#doomed = new Set(files.filter((file) => !this.#pins.has(file)));
    return files.filter((file) => this.#pins.has(file));
  }
}
