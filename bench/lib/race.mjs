import { Bench } from "tinybench";

/**
 * @typedef {object} Contestant
 * @property {() => unknown} run the work. What it returns is looked at only when it is a measurement of its own:
 *   `{ overriddenDuration }`, the milliseconds of the part that counts.
 * @property {() => unknown} [before] untimed, before each run
 * @property {() => unknown} [after] untimed, after each run: the place to check what was done
 */

/**
 * @typedef {object} RaceOptions
 * @property {number} rounds
 * @property {number} [iterations] runs of each contestant in a round, at least
 * @property {number} [time] milliseconds of each contestant in a round, at least
 * @property {boolean} [isAsync]
 */

/**
 * Lets contestants run in turn, round by round, each first in every other round, so that what slows the machine for a
 * while slows all of them. The first round warms up and does not count.
 *
 * @template {string} Name
 * @param {Readonly<Record<Name, Contestant>>} contestants
 * @param {RaceOptions} options
 * @returns {Promise<Record<Name, number[]>>} milliseconds of one run, in each round: its median there
 */
export async function race(contestants, { rounds, iterations = 1, time = 0, isAsync = false }) {
  const names = /** @type {Name[]} */ (Object.keys(contestants));
  const samples = names.map((name) => /** @type {const} */ ([name, /** @type {number[]} */ ([])]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, ms] of round % 2 === 0 ? samples : samples.toReversed()) {
      const sample = await medianRun(contestants[name], { iterations, time, isAsync });
      if (round > 0) ms.push(sample);
    }
  }
  return /** @type {Record<Name, number[]>} */ (Object.fromEntries(samples));
}

/**
 * Both sides' figures of the round in which the ratio was the median of all rounds: taken together, for the machine may
 * have been faster in one round and slower in another.
 *
 * @param {readonly number[]} ours one figure a round
 * @param {readonly number[]} theirs
 * @param {(ms: number) => number} toUnit
 */
export function medianRound(ours, theirs, toUnit) {
  const pairs = ours.map((ms, round) => ({ ours: toUnit(ms), theirs: toUnit(theirs[round] ?? NaN) }));
  pairs.sort((a, b) => a.ours / a.theirs - b.ours / b.theirs);
  const middle = pairs[pairs.length >> 1];
  if (middle === undefined) throw new Error("A comparison needs at least one round.");
  return middle;
}

/** @param {readonly number[]} values at least one */
export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}

/** From milliseconds of a run that does `count` of what is measured, to nanoseconds of one. @param {number} count */
export function nsEach(count) {
  return (/** @type {number} */ ms) => (ms / count) * 1e6;
}

/** @param {Contestant} contestant @param {Required<Omit<RaceOptions, "rounds">>} options */
async function medianRun({ run, before, after }, { iterations, time, isAsync }) {
  const bench = new Bench({ iterations, time, warmup: false, throws: true });
  bench.add("run", run, {
    async: isAsync,
    ...(before && { beforeEach: async () => void (await before()) }),
    ...(after && { afterEach: async () => void (await after()) }),
  });
  const [task] = await bench.run();
  if (task?.result.state !== "completed") throw new Error(`A run did not complete: ${task?.result.state}`);
  return task.result.latency.p50;
}
