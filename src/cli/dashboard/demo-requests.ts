import { seededRandom } from "../../testing/seeded-random.js";
import type { TraceRequest } from "../replay/trace-request.js";

const SYSTEM_PROMPTS = 4;
const TURNS = 6;
/** Blocks that the whole demo has, by blocks of the pool: the pool evicts, tiers are asked, and nothing grows for ever. */
const SIZE = 8;
/** Conversations that are active at a time, and that there are at most. */
const [ACTIVE, MOST] = [24, 10_000];
/** Ids of a prompt, and of a conversation's own blocks, begin this far apart; none has so many. */
const ID_STRIDE = 100;

interface Conversation {
  readonly prompt: readonly number[];
  readonly own: readonly number[];
  /** Blocks of its own after each turn. */
  readonly lengths: readonly number[];
  turn: number;
}

/**
 * A chat service in small, without end: conversations share a few system prompts, each turn repeats all that was said
 * before, and one that is over begins again. The same in every run.
 *
 * @param poolBlocks blocks of the pool
 */
export function* demoRequests(poolBlocks: number): Generator<TraceRequest> {
  const random = seededRandom(7);
  const below = (limit: number): number => Math.floor(random() * limit);
  const share = Math.max(1, Math.floor(poolBlocks / 40));
  const [promptBlocks, turnBlocks] = [Math.min(share, 32), Math.min(share, 5)];
  const wanted = Math.ceil((SIZE * poolBlocks) / (TURNS * turnBlocks));
  const conversations = Array.from({ length: Math.min(Math.max(ACTIVE, wanted), MOST) }, (_, i): Conversation => {
    const lengths: number[] = [];
    for (let turn = 0, length = 0; turn < TURNS; turn++) lengths.push((length += 1 + below(turnBlocks)));
    return {
      prompt: ids(below(SYSTEM_PROMPTS), promptBlocks),
      own: ids(SYSTEM_PROMPTS + i, lengths.at(-1) ?? 0),
      lengths,
      turn: 0,
    };
  });
  for (let oldest = 0; ;) {
    const conversation = conversations[(oldest + below(ACTIVE)) % conversations.length];
    if (conversation === undefined) return;
    const { prompt, own, lengths, turn } = conversation;
    yield { blockIds: [...prompt, ...own.slice(0, lengths[turn])] };
    conversation.turn = (turn + 1) % TURNS;
    if (conversation.turn === 0) oldest = (oldest + 1) % conversations.length;
  }
}

const ids = (group: number, count: number): number[] => Array.from({ length: count }, (_, i) => group * ID_STRIDE + i);
