import type { LookupResult } from "../../contracts/lookup-result.js";
import type { OffloadKey } from "../../contracts/offload-key.js";
import type { FewSet } from "./few-set.js";

/** A request that asked, and what it holds on to until it is finished. */
export interface Asker {
  readonly reqId: string;
  readonly entries: LookupEntry[];
}

/** What is known of one key, on behalf of the requests that asked. */
export interface LookupEntry {
  readonly key: OffloadKey;
  /** `Retry` until there is an answer. */
  verdict: LookupResult;
  /** Requests that asked and are not finished. */
  readonly askers: FewSet<Asker>;
  /** Whether its probe is out: then it stays, so that newcomers share the answer. */
  isProbed: boolean;
  /** Whether it was dropped, and its key may have another entry. */
  isDropped: boolean;
}
