import { Inject, Injectable, type OnApplicationShutdown } from "@nestjs/common";
import type { LlamaContextSequence } from "node-llama-cpp";
import type { OpenLlama } from "./open-llama.js";
import { LLAMA } from "./tokens.js";

/** Lends each request a sequence of its own; when all are out, requests wait in order. */
@Injectable()
export class SequencePool implements OnApplicationShutdown {
  readonly #free: LlamaContextSequence[];
  readonly #waiting: ((sequence: LlamaContextSequence) => void)[] = [];

  constructor(@Inject(LLAMA) private readonly llama: OpenLlama) {
    this.#free = [...llama.sequences];
  }

  /** Runs `work` with a sequence. A request whose client goes away while it waits leaves the queue. */
  async use<T>(signal: AbortSignal, work: (sequence: LlamaContextSequence) => Promise<T>): Promise<T> {
    const sequence = await this.#take(signal);
    try {
      return await work(sequence);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free.push(sequence);
      else next(sequence);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.llama.dispose();
  }

  async #take(signal: AbortSignal): Promise<LlamaContextSequence> {
    signal.throwIfAborted();
    const free = this.#free.shift();
    if (free !== undefined) return free;
    return new Promise((resolve, reject) => {
      const go = (sequence: LlamaContextSequence): void => {
        signal.removeEventListener("abort", leave);
        resolve(sequence);
      };
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(go), 1);
        reject(signal.reason as Error);
      };
      this.#waiting.push(go);
      signal.addEventListener("abort", leave, { once: true });
    });
  }
}
