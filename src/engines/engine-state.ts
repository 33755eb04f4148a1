import { KvTierError } from "../errors/kv-tier-error.js";
import type { SplitState } from "./kv-engine.js";

/** @param reason such as `it ends in the middle of a layer.` */
export function badState(engine: string, reason: string, cause?: unknown): KvTierError {
  const details = cause === undefined ? {} : { cause };
  return new KvTierError("INVALID_STATE", `The KV state of a ${engine} sequence cannot be used: ${reason}`, details);
}

/**
 * Whether what a sequence holds is the state of `tokens`, of which the last may not have been evaluated yet. A shorter
 * state means that the engine dropped tokens from the front to make room: what is left was computed behind others.
 *
 * @throws KvTierError `INVALID_STATE` when it is not.
 */
export function assertTokens(engine: string, held: ArrayLike<number>, tokens: readonly number[]): void {
  if (held.length > tokens.length || held.length < tokens.length - 1) {
    throw badState(engine, `it is of ${held.length} tokens, and ${tokens.length} were evaluated.`);
  }
  const wrong = Array.prototype.findIndex.call(held, (token: unknown, i) => token !== tokens[i]);
  if (wrong !== -1) throw badState(engine, `its token ${wrong} is ${held[wrong]}, and ${tokens[wrong]} was evaluated.`);
}

/**
 * Whether `blocks` are whole blocks of exactly `tokens`.
 *
 * @throws KvTierError `INVALID_STATE` when they are not.
 */
export function assertBlocks(
  engine: string,
  { tokensPerBlock, blockBytes }: { readonly tokensPerBlock: number; readonly blockBytes: number },
  tokens: readonly number[],
  blocks: readonly Uint8Array[],
): void {
  if (blocks.length === 0 || tokens.length !== blocks.length * tokensPerBlock) {
    throw badState(
      engine,
      `${blocks.length} blocks of ${tokensPerBlock} tokens were given for ${tokens.length} tokens.`,
    );
  }
  const wrong = blocks.find((block) => block.byteLength !== blockBytes);
  if (wrong) throw badState(engine, `a block of ${wrong.byteLength} bytes was given, and blocks have ${blockBytes}.`);
}

/** @throws KvTierError `INVALID_STATE` */
export function assertTokensPerBlock(tokensPerBlock: number): void {
  if (Number.isSafeInteger(tokensPerBlock) && tokensPerBlock > 0) return;
  throw new KvTierError(
    "INVALID_STATE",
    `tokensPerBlock must be a positive integer of tokens; got ${String(tokensPerBlock)}.`,
  );
}

/** @param copy copies block `index`, which there is, into a slot of the right size */
export function splitState(
  engine: string,
  { blocks, blockBytes }: { readonly blocks: number; readonly blockBytes: number },
  copy: (index: number, slot: Uint8Array) => void,
): SplitState {
  return {
    blocks,
    copyBlock(index, slot) {
      if (slot.byteLength !== blockBytes || !(index >= 0 && index < blocks)) {
        throw badState(
          engine,
          `it has ${blocks} blocks of ${blockBytes} bytes, and block ${index} of ${slot.byteLength} was asked for.`,
        );
      }
      copy(index, slot);
    },
  };
}
