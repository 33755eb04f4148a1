import { Inject, Injectable, type OnApplicationShutdown } from "@nestjs/common";
import type { LlamaContextSequence } from "node-llama-cpp";
import type { OpenLlama } from "./open-llama.js";
import { LLAMA } from "./tokens.js";

/** Lends each request a sequence of its own; when all are out, requests wait in order. */
@Injectable()
export class SequencePool implements OnApplicationShutdown {
  readonly #free: LlamaContextSequence[];
  readonly #waiting: (() => void)[] = [];

  constructor(@Inject(LLAMA) private readonly llama: OpenLlama) {
    this.#free = [...llama.sequences];
  }

  /** Runs `work` with a sequence. A request whose client goes away while it waits leaves the queue. */
  async use<T>(signal: AbortSignal, work: (sequence: LlamaContextSequence) => Promise<T>): Promise<T> {
    const sequence = await this.#take(signal);
    try {
      return await work(sequence);
    } finally {
      this.#free.push(sequence);
      this.#waiting.shift()?.();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.llama.dispose();
  }

  async #take(signal: AbortSignal): Promise<LlamaContextSequence> {
    for (;;) {
      signal.throwIfAborted();
      const sequence = this.#free.shift();
      if (sequence !== undefined) return sequence;
      await new Promise<void>((resolve) => {
        const go = (): void => {
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const leave = (): void => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          resolve();
        };
        this.#waiting.push(go);
        signal.addEventListener("abort", leave, { once: true });
      });
    }
  }
}
