import { BackpressureDetector } from "../../backpressure/backpressure-detector.js";
import { Detector } from "../../decorators/detector.js";

/** One store that ended well. */
export interface StoreSample {
  /** Seconds from its submission. */
  readonly elapsedS: number;
  readonly bytes: number;
}

/** Sees what a detector in this place would see, and never holds a store back. */
@Detector("kvtier-bench")
export class StoreProbe extends BackpressureDetector {
  #samples: StoreSample[] = [];

  override onStoreCompleted(elapsedS: number, bytes: number): void {
    this.#samples.push({ elapsedS, bytes });
  }

  override isUnderPressure(): boolean {
    return false;
  }

  override reset(): void {
    this.#samples = [];
  }

  /** The samples since the last call. */
  take(): readonly StoreSample[] {
    const samples = this.#samples;
    this.#samples = [];
    return samples;
  }
}
