import type { PressureReading } from "../contracts/backpressure.js";
import { Detector } from "../decorators/detector.js";
import { KvTierError } from "../errors/kv-tier-error.js";
import { BackpressureDetector, type DetectorDefaultsOptions } from "./backpressure-detector.js";
import { EMABackpressureConfig } from "./ema-backpressure-config.js";

const MIB = 2 ** 20;

/** Completions below the low mark in a row after which the policy is no longer asked. */
const HEALTHY_STREAK = 10;

/** Marks in s/MiB: about 200 MB/s and 1 GB/s for a local tier, 50 MB/s and 200 MB/s behind a network. */
const LOCAL_MARKS = { high_water_s: 0.005, low_water_s: 0.001 };
const NETWORK_MARKS = { high_water_s: 0.02, low_water_s: 0.005 };
const NETWORK_TIER_TYPES: ReadonlySet<string> = new Set(["obj"]);

/**
 * Watches the moving average of store latency, in s/MiB so that the size of a store does not matter. Above the high
 * mark the tier is under pressure; it stays so until the average falls below the low mark, by faster stores or, while
 * none complete, by decay with time. After that, for `cooldownS`, every second store is still refused. Rules and figures
 * are upstream's (vLLM).
 */
@Detector("EMABackpressureDetector", { config: EMABackpressureConfig })
export class EMABackpressureDetector extends BackpressureDetector<EMABackpressureConfig> {
  #ema = 0;
  #updatedAt = 0;
  #completions = 0;
  #warmupMean = 0;
  #underPressure = false;
  /** Completions below the low mark since the last one that was not. */
  #streak = 0;
  /** When pressure last cleared; `null` when it never did, or is on again. */
  #clearedAt: number | null = null;
  #cooldownCalls = 0;

  /**
   * The marks for a tier: of a network when its locality is REMOTE or its type is one behind a network (`obj`), else of
   * a local disk. `p2p` is no exception: its stores wait for the peer, so whoever gives it a detector should set marks.
   */
  static override defaultConfig(tierType: string, { locality }: DetectorDefaultsOptions): Record<string, unknown> {
    const isRemote = locality?.toUpperCase() === "REMOTE" || NETWORK_TIER_TYPES.has(tierType);
    return { ...(isRemote ? NETWORK_MARKS : LOCAL_MARKS) };
  }

  override isUnderPressure(): boolean {
    if (this.#underPressure) this.#decay();
    return this.#underPressure;
  }

  override isHealthy(): boolean {
    return !this.#underPressure && this.#streak >= HEALTHY_STREAK;
  }

  override overshoot(): number {
    return Math.max(0, this.#ema - this.config.highWaterS) / this.config.highWaterS;
  }

  override shouldStore(blocks: number): boolean {
    if (this.isHealthy()) return true;
    if (this.#isCoolingDown() && ++this.#cooldownCalls % 2 === 0) return this.refuse(blocks);
    return super.shouldStore(blocks);
  }

  override onStoreCompleted(elapsedS: number, bytes: number): void {
    const sample = elapsedS / (bytes / MIB);
    // No bytes, a clock that went back, a division by zero: nothing was measured.
    if (!(bytes > 0 && sample >= 0 && sample < Infinity)) return;
    this.#completions += 1;
    if (this.#completions <= this.config.warmupCompletions) this.#warmUp(sample);
    else this.#measure(sample);
  }

  override reset(): void {
    this.#ema = 0;
    this.#updatedAt = 0;
    this.#completions = 0;
    this.#warmupMean = 0;
    this.#underPressure = false;
    this.#streak = 0;
    this.#clearedAt = null;
    this.#cooldownCalls = 0;
    this.policy.reset();
  }

  /** The moving average, s/MiB; 0 until the warm-up is over. */
  get storeLatencyEma(): number {
    return this.#ema;
  }

  /**
   * Sets the average as of now; whether the tier is under pressure changes only with what happens next.
   *
   * @throws KvTierError `INVALID_STATE` when it is not a finite number of at least 0.
   */
  set storeLatencyEma(value: number) {
    if (!(value >= 0 && value < Infinity)) {
      throw new KvTierError("INVALID_STATE", `storeLatencyEma must be a number of s/MiB, 0 or more; got ${value}.`);
    }
    this.#setEma(value);
  }

  override get stats(): Readonly<Record<string, number>> {
    return { store_latency_ema: this.#ema };
  }

  get reading(): PressureReading {
    return { value: this.#ema, high: this.config.highWaterS, low: this.config.lowWaterS, unit: "s/MiB" };
  }

  #warmUp(sample: number): void {
    this.#warmupMean += (sample - this.#warmupMean) / this.#completions;
    if (this.#completions === this.config.warmupCompletions) this.#setEma(this.#warmupMean);
  }

  #measure(sample: number): void {
    // In this form samples that sit exactly on a mark keep the average exactly on it.
    this.#setEma(this.#ema + this.config.alpha * (sample - this.#ema));
    if (this.#ema > this.config.highWaterS) {
      this.#underPressure = true;
      this.#clearedAt = null;
      this.#streak = 0;
    } else if (this.#ema < this.config.lowWaterS) {
      if (this.#underPressure) this.#clearPressure();
      this.#streak += 1;
    } else {
      this.#streak = 0;
    }
  }

  /** While nothing is stored nothing is measured: time itself has to end the pressure. */
  #decay(): void {
    const idleS = this.clock.now() - this.#updatedAt;
    if (this.config.decayHalfLifeS <= 0 || idleS <= 0) return;
    this.#setEma(this.#ema * 0.5 ** (idleS / this.config.decayHalfLifeS));
    if (this.#ema < this.config.lowWaterS) this.#clearPressure();
  }

  #setEma(value: number): void {
    this.#ema = value;
    this.#updatedAt = this.clock.now();
  }

  #clearPressure(): void {
    this.#underPressure = false;
    this.#clearedAt = this.clock.now();
    this.#cooldownCalls = 0;
  }

  #isCoolingDown(): boolean {
    if (this.#underPressure || this.#clearedAt === null) return false;
    return this.clock.now() - this.#clearedAt < this.config.cooldownS;
  }
}
