/** What one minute came to. Times in milliseconds. */
export interface Minute {
  readonly acquireP50: number;
  readonly acquireP99: number;
  readonly putP50: number;
  readonly putP99: number;
  /** MiB a second, of blocks that were acquired and stored. */
  readonly loaded: number;
  readonly stored: number;
  /** MiB, after a collection of garbage. */
  readonly memory: number;
  /** MiB, the most that was seen. */
  readonly disk: number;
}

export interface SoakLimits {
  /** How many times the second minute's p99 the last one's may be. */
  readonly latencyGrowth: number;
  /** MiB from the end of the second minute to that of the last. */
  readonly memoryGrowth: number;
  /** MiB: `max_bytes`, and what is in flight. */
  readonly disk: number;
}

/** What is not as it must be, in sentences. Of fewer than three minutes nothing can be said. */
export function faultsOf(minutes: readonly Minute[], wrongBlocks: number, limits: SoakLimits): string[] {
  const [second, last] = [minutes[1], minutes.at(-1)];
  if (second === undefined || last === undefined || minutes.length < 3) return ["it was over too soon to tell"];
  const faults: string[] = [];
  for (const [name, of] of [
    ["acquire", (minute: Minute) => minute.acquireP99],
    ["put", (minute: Minute) => minute.putP99],
  ] as const) {
    const [then, now] = [of(second), of(last)];
    if (now > limits.latencyGrowth * then) {
      faults.push(`p99 of ${name} went from ${then.toFixed(1)} ms to ${now.toFixed(1)} ms`);
    }
  }
  const growth = last.memory - second.memory;
  if (growth >= limits.memoryGrowth) faults.push(`memory grew by ${growth.toFixed(0)} MiB`);
  const disk = Math.max(...minutes.map((minute) => minute.disk));
  if (disk > limits.disk) faults.push(`${disk.toFixed(0)} MiB were on the disk, of ${limits.disk.toFixed(0)} at most`);
  if (wrongBlocks > 0) faults.push(`${wrongBlocks} blocks had a wrong byte`);
  return faults;
}
