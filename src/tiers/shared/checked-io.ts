import { reasonOf } from "../../errors/factory-errors.js";
import type { TransferOutcome } from "./block-transfer.js";

/**
 * Moves a batch of `count` blocks by `run`, the tier author's own, and answers with one sound outcome per block whatever
 * `run` does: throw, reject, or answer nonsense. Never rejects.
 */
export async function checkedIo(run: () => unknown, count: number): Promise<readonly TransferOutcome[]> {
  try {
    const outcomes: unknown = await run();
    if (Array.isArray(outcomes) && outcomes.length === count) return soundOutcomes(outcomes);
    return failures(new Error(`A batch of ${count} blocks was not answered with as many outcomes.`), count);
  } catch (reason) {
    return failures(asError(reason), count);
  }
}

/** What was thrown, as an `Error`; what is none keeps its message, if it has one, and becomes the cause. */
export function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(reasonOf(reason), { cause: reason });
}

function failures(error: Error, count: number): readonly TransferOutcome[] {
  return new Array<Error>(count).fill(error);
}

/** A new array, without holes. */
function soundOutcomes(outcomes: readonly unknown[]): readonly TransferOutcome[] {
  const sound: TransferOutcome[] = [];
  for (const outcome of outcomes) sound.push(soundOutcome(outcome));
  return sound;
}

function soundOutcome(outcome: unknown): TransferOutcome {
  return typeof outcome === "number" && Number.isFinite(outcome) && outcome >= 0 ? outcome : asError(outcome);
}
