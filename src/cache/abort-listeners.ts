interface Watched {
  readonly listeners: Set<() => void>;
  readonly onAbort: () => void;
}

/**
 * Listeners of abort signals, one for each signal however many wait for it: a server hands one signal to all it does, and
 * Node takes more than ten listeners for a leak and prints a warning.
 */
export class AbortListeners {
  readonly #watched = new Map<AbortSignal, Watched>();

  /** Calls `listener` once, when `signal`, which is not aborted yet, aborts. The returned function takes it off. */
  add(signal: AbortSignal, listener: () => void): () => void {
    const { listeners } = this.#watched.get(signal) ?? this.#watch(signal);
    listeners.add(listener);
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#unwatch(signal);
    };
  }

  #watch(signal: AbortSignal): Watched {
    const listeners = new Set<() => void>();
    const onAbort = (): void => {
      this.#unwatch(signal);
      for (const listener of listeners) listener();
    };
    signal.addEventListener("abort", onAbort);
    const watched = { listeners, onAbort };
    this.#watched.set(signal, watched);
    return watched;
  }

  #unwatch(signal: AbortSignal): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined) return;
    this.#watched.delete(signal);
    signal.removeEventListener("abort", watched.onAbort);
  }
}
