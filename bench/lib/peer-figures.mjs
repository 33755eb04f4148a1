import { medianRound } from "./race.mjs";
import { Workload } from "./workload.mjs";

/** @import { Figure } from "./figure.mjs" */

export const PEER_SIZES = [64 * 2 ** 10, 2 ** 20];
export const PEER_TARGET = { min: 5 };

const RUN_BYTES = 64 * 2 ** 20;

/** Blocks of a run, as buffers: by requests, and one by one. @param {number} blockBytes */
export function peerWorkload(blockBytes) {
  const workload = new Workload(blockBytes, RUN_BYTES);
  const requests = workload.requests(0).map((request) => ({ ...request, values: request.numbers.map(valueOf) }));
  const entries = requests.flatMap(({ keys, numbers, values }) =>
    keys.map((key, i) => ({ key, number: numbers[i] ?? 0, value: values[i] ?? Buffer.alloc(0) })),
  );
  return { workload, requests, entries };

  /** @param {number} number */
  function valueOf(number) {
    const value = Buffer.alloc(blockBytes);
    workload.content.fill(number, value);
    return value;
  }
}

/**
 * Against each peer, and with a verdict against the best of them, and against the best as they are by default.
 *
 * @param {Pick<Figure, "id" | "size" | "op" | "unit">} subject
 * @param {readonly number[]} ours milliseconds of each round
 * @param {Readonly<Record<string, number[]>>} peers
 * @param {(ms: number) => number} toUnit
 * @param {Figure["target"]} target
 * @returns {Figure[]}
 */
export function peerFigures(subject, ours, peers, toUnit, target) {
  const figures = Object.entries(peers).map(([against, theirs]) => ({
    ...subject,
    against,
    ...medianRound(ours, theirs, toUnit),
    target: null,
  }));
  const byRatio = figures.toSorted((a, b) => a.ours / a.theirs - b.ours / b.theirs);
  const bests = [
    { against: "best-peer", best: byRatio[0] },
    { against: "best-peer-default", best: byRatio.find(({ against }) => against.endsWith("-default")) },
  ];
  return [
    ...figures,
    ...bests.flatMap(({ against, best }) => (best ? [{ ...best, against, target, remark: best.against }] : [])),
  ];
}
