import type { LookupResult } from "../../contracts/lookup-result.js";
import type { OffloadKey } from "../../contracts/offload-key.js";

/** What is known of one key, on behalf of the requests that asked. */
export interface LookupEntry {
  readonly key: OffloadKey;
  /** `Retry` until there is an answer. */
  verdict: LookupResult;
  /** Requests that asked and are not finished. */
  requesters: number;
  /** Whether its probe is out: then it stays, so that newcomers share the answer. */
  isProbed: boolean;
}
