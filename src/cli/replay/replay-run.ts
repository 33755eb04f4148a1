import type { Tiering } from "../../cache/create-tiering.js";
import type { Lease } from "../../cache/lease.js";
import type { Clock } from "../../contracts/clock.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import { BlockPattern } from "../block-pattern.js";
import { reserveWithRoom } from "./slot-room.js";
import { traceKey } from "./trace-key.js";
import type { TraceRequest } from "./trace-request.js";

/** A block that came back with other bytes than were stored. */
export interface Mismatch {
  /** Number of the request, from 1, and place of the block in it, from 0. */
  readonly request: number;
  readonly block: number;
  /** Offset of the first wrong byte in the block. */
  readonly byte: number;
  /** Label of the tier that served it. */
  readonly source: string;
}

/** What a replay has seen so far. */
export interface ReplayCounts {
  readonly requests: number;
  readonly lookedUp: number;
  readonly unique: number;
  /** Blocks that were found, and before which all blocks of their request were found too. */
  readonly hits: number;
  /** Hits on blocks that no earlier request of this run asked for, so that it cannot have stored them. */
  readonly storedBefore: number;
  readonly verified: number;
  readonly mismatches: number;
  readonly firstMismatch: Mismatch | null;
  /** Blocks for which the pool had no room, as in a request that is longer than the pool. */
  readonly notStored: number;
}

/** Runs requests through a cache, one at a time, and checks every byte that it serves. */
export class ReplayRun {
  readonly #tiering: Tiering;
  readonly #clock: Clock;
  readonly #pattern: BlockPattern;
  readonly #seen = new Set<number>();
  #requests = 0;
  #lookedUp = 0;
  #hits = 0;
  #storedBefore = 0;
  #mismatches = 0;
  #firstMismatch: Mismatch | null = null;
  #notStored = 0;

  /** @param blockBytes bytes of one block of the cache */
  constructor(tiering: Tiering, clock: Clock, blockBytes: number) {
    this.#tiering = tiering;
    this.#clock = clock;
    this.#pattern = new BlockPattern(blockBytes);
  }

  /** Acquires the request's longest prefix, checks it, stores the rest, and waits until the tiers have it. */
  async play({ blockIds }: TraceRequest): Promise<void> {
    const { cache, manager } = this.#tiering;
    const reqId = `replay-${++this.#requests}`;
    const keys = blockIds.map(traceKey);
    this.#lookedUp += keys.length;

    const lease = await cache.acquire(keys, { requestId: reqId });
    try {
      this.#hits += lease.hits;
      this.#storedBefore += blockIds.slice(0, lease.hits).filter((id) => !this.#seen.has(id)).length;
      for (const id of blockIds) this.#seen.add(id);
      this.#verify(keys, lease);
      await this.#store(keys.slice(lease.hits), reqId, lease.hits);
      await cache.flush();
    } finally {
      lease.release();
    }
    // All together, also where there was no room and so no commit that did it: the head ends as the last to be evicted.
    manager.touch(keys, { reqId });
  }

  get counts(): ReplayCounts {
    return {
      requests: this.#requests,
      lookedUp: this.#lookedUp,
      unique: this.#seen.size,
      hits: this.#hits,
      storedBefore: this.#storedBefore,
      // Every block that was found was checked.
      verified: this.#hits,
      mismatches: this.#mismatches,
      firstMismatch: this.#firstMismatch,
      notStored: this.#notStored,
    };
  }

  #verify(keys: readonly OffloadKey[], { blocks, sources }: Lease): void {
    for (const [block, bytes] of blocks.entries()) {
      const key = keys[block];
      const byte = key === undefined ? 0 : this.#pattern.firstWrongByte(key, bytes);
      if (byte === -1) continue;
      this.#mismatches++;
      this.#firstMismatch ??= { request: this.#requests, block, byte, source: sources[block] ?? "" };
    }
  }

  async #store(keys: readonly OffloadKey[], requestId: string, pinned: number): Promise<void> {
    if (keys.length === 0) return;
    const ticket = await reserveWithRoom(this.#tiering, this.#clock, keys, requestId, pinned);
    if (ticket !== null) {
      for (const [i, key] of ticket.keys.entries()) {
        const slot = ticket.blocks[i];
        if (slot !== undefined) this.#pattern.fill(key, slot);
      }
      ticket.commit();
    }
    this.#notStored += keys.filter((key) => !this.#tiering.manager.isResident(key)).length;
  }
}
