import type { LookupResult } from "../contracts/lookup-result.js";
import type { OffloadKey } from "../contracts/offload-key.js";

/** `kvtier:lookup`: a request was told where a block is. A poll that is repeated is told of again. */
export interface LookupMessage {
  readonly requestId: string;
  readonly key: OffloadKey;
  readonly result: LookupResult;
  /** Label of the tier that has the block or is bringing it; `null` for a miss and while that is not known. */
  readonly tier: string | null;
}

/** `kvtier:promotion` and `kvtier:cascade`: a load from a tier, or a store into one, has ended, one way or the other. */
export interface TransferMessage {
  /** Label: `1:fs`. */
  readonly tier: string;
  readonly jobId: number;
  readonly requestId: string;
  readonly keys: readonly OffloadKey[];
  /** Whether every block was moved, or was there already. */
  readonly success: boolean;
  /** Blocks that arrived; of a store all or none. */
  readonly blocks: number;
  /** Bytes that were moved; a block that was stored already counts 0. */
  readonly bytes: number;
  /** Seconds since the job was submitted. */
  readonly durationS: number;
}

/** `kvtier:job-failure`: some or all blocks of a job were not moved. A store that was dropped is no failure. */
export interface JobFailureMessage {
  readonly tier: string;
  readonly jobId: number;
  readonly requestId: string;
  readonly kind: "promotion" | "cascade";
  readonly keys: readonly OffloadKey[];
  /** Of `keys`, how many. */
  readonly failedBlocks: number;
}

/** `kvtier:store-dropped`: blocks were not copied into a tier, and stay in the pool alone. */
export interface StoreDroppedMessage {
  readonly tier: string;
  readonly blocks: number;
  /** `pressure`: the tier's policy refused them; `queue`: the tier took no more, or is out of order. */
  readonly reason: "pressure" | "queue";
}

/** `kvtier:evict`: blocks left the pool to make room. */
export interface EvictMessage {
  /** `0:primary`. */
  readonly tier: string;
  readonly keys: readonly OffloadKey[];
}

/** `kvtier:pressure`: a tier came under pressure, or out of it. */
export interface PressureMessage {
  readonly tier: string;
  readonly active: boolean;
  /** The detector's own figures. */
  readonly stats: Readonly<Record<string, number>>;
}

/** `kvtier:breaker`: a tier stays away from a server from now on, or uses it again; or for one kind of operation. */
export interface BreakerMessage {
  /** The tier's type: a tier does not know its place. */
  readonly tierType: string;
  /** Address; `""` when the tier has one server alone. */
  readonly server: string;
  readonly open: boolean;
  /** What that means, for people. */
  readonly message: string;
}
