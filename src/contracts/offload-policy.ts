/**
 * What a request offers to the secondary tiers: only blocks it computed (`ChunkLevel`), or also those of its prefix
 * that were already in the primary pool (`RequestLevel`).
 */
export const OffloadPolicy = { ChunkLevel: "chunk_level", RequestLevel: "request_level" } as const;
export type OffloadPolicy = (typeof OffloadPolicy)[keyof typeof OffloadPolicy];

/** A tier's answer to a new request. */
export interface RequestOffloading {
  readonly policy: OffloadPolicy;
}
