import { LookupResult } from "../../contracts/lookup-result.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { RequestContext } from "../../contracts/request-context.js";
import { ExistenceProbes, type ExistenceProbeParts } from "./existence-probes.js";
import { FewSet } from "./few-set.js";
import type { Asker, LookupEntry } from "./lookup-entry.js";

/**
 * Look-ups of a tier that has to ask somewhere. A key is probed once, however many requests ask for it; its verdict is
 * kept while any of them lives. Probes are collected during a step and sent by {@link flush}.
 *
 * Only the entry that a probe was made for takes its answer, and only while it has no verdict: a store that completes, or
 * a load that fails, is newer than every probe that is out.
 */
export class AsyncLookup {
  readonly #entries = new Map<OffloadKey, LookupEntry>();
  readonly #askers = new Map<string, Asker>();
  /** Who asked last: a request asks for key after key. */
  #latestAsker: Asker | undefined;
  readonly #probes: ExistenceProbes;
  #collected: { entry: LookupEntry; ctx: RequestContext }[] = [];

  constructor(parts: Omit<ExistenceProbeParts, "onAnswer">) {
    this.#probes = new ExistenceProbes({ ...parts, onAnswer: (entry, isThere) => this.#answer(entry, isThere) });
  }

  /** Keys that are known or asked for. */
  get size(): number {
    return this.#entries.size;
  }

  /** Calls of `exists` that have no answer yet. */
  get inFlight(): number {
    return this.#probes.inFlight;
  }

  /** Whether so many probes never came back that another would be in vain. */
  get isStalled(): boolean {
    return this.#probes.isStalled;
  }

  get hasPendingWork(): boolean {
    return this.#collected.length > 0 || this.#probes.inFlight > 0;
  }

  lookup(key: OffloadKey, ctx: RequestContext): LookupResult {
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { key, verdict: LookupResult.Retry, askers: new FewSet(), isProbed: false, isDropped: false };
      this.#entries.set(key, entry);
      this.#collected.push({ entry, ctx });
    }
    const asker = this.#askerOf(ctx.reqId);
    if (entry.askers.add(asker)) asker.entries.push(entry);
    return entry.verdict;
  }

  /** Sends what was collected: one probe for each request that was the first to ask. */
  flush(): void {
    const byRequest = new Map<string, { ctx: RequestContext; entries: LookupEntry[] }>();
    for (const { entry, ctx } of this.#collected) {
      if (entry.verdict !== LookupResult.Retry || entry.askers.size === 0) continue;
      const group = byRequest.get(ctx.reqId);
      if (group === undefined) byRequest.set(ctx.reqId, { ctx, entries: [entry] });
      else group.entries.push(entry);
      entry.isProbed = true;
    }
    this.#collected = [];
    for (const { ctx, entries } of byRequest.values()) this.#probes.send(entries, ctx);
  }

  /** A store of `key` has completed: all who asked see a hit. */
  markHit(key: OffloadKey): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#decide(entry, LookupResult.Hit);
  }

  /** Loads of `keys` have failed, or they are gone: all who asked see a miss, and nobody probes again on their behalf. */
  markMiss(keys: Iterable<OffloadKey>): void {
    for (const key of keys) {
      const entry = this.#entries.get(key);
      if (entry !== undefined) this.#decide(entry, LookupResult.Miss);
    }
  }

  /** Drops what the request holds on to. Unknown requests are fine. */
  finishRequest(reqId: string): void {
    const asker = this.#askers.get(reqId);
    if (asker === undefined) return;
    this.#askers.delete(reqId);
    this.#latestAsker = undefined;
    for (const entry of asker.entries) {
      entry.askers.delete(asker);
      this.#dropIfUnused(entry);
    }
  }

  /** Drops every verdict, and the answers that are still to come: who asks again is answered afresh. */
  forget(): void {
    for (const entry of this.#entries.values()) entry.isDropped = true;
    this.#entries.clear();
    this.#askers.clear();
    this.#latestAsker = undefined;
    this.#collected = [];
  }

  /** As {@link forget}, for good. */
  close(): void {
    this.#probes.close();
    this.forget();
  }

  #askerOf(reqId: string): Asker {
    if (this.#latestAsker?.reqId === reqId) return this.#latestAsker;
    let asker = this.#askers.get(reqId);
    if (asker === undefined) {
      asker = { reqId, entries: [] };
      this.#askers.set(reqId, asker);
    }
    this.#latestAsker = asker;
    return asker;
  }

  #answer(entry: LookupEntry, isThere: boolean): void {
    if (entry.verdict === LookupResult.Retry) this.#decide(entry, isThere ? LookupResult.Hit : LookupResult.Miss);
  }

  #decide(entry: LookupEntry, verdict: LookupResult): void {
    entry.verdict = verdict;
    entry.isProbed = false;
    this.#dropIfUnused(entry);
  }

  #dropIfUnused(entry: LookupEntry): void {
    if (entry.isDropped || entry.isProbed || entry.askers.size > 0) return;
    entry.isDropped = true;
    this.#entries.delete(entry.key);
  }
}
