import type * as Signature from "@smithy/signature-v4";
import type * as Undici from "undici";
import { loadPeers } from "../remote/load-peers.js";
import type { KeyProvider } from "./credentials.js";

/** What the obj tier is given to work with, besides what kvtier brings along. */
export interface ObjPeers {
  readonly undici: typeof Undici;
  readonly signature: typeof Signature;
  /** AWS's standard chain; `null` when the keys are given. */
  readonly chain: KeyProvider | null;
}

const CLIENT = ["undici@7", "@smithy/signature-v4@5"];
const CHAIN = "@aws-sdk/credential-provider-node@3";

/**
 * Loads the client, and AWS's credential chain if that is wanted.
 *
 * @throws KvTierError `PEER_DEPENDENCY_MISSING`
 */
export async function loadObjPeers(wantsChain: boolean, load = importAll): Promise<ObjPeers> {
  return loadPeers("The obj tier", wantsChain ? [...CLIENT, CHAIN] : CLIENT, () => load(wantsChain));
}

async function importAll(wantsChain: boolean): Promise<ObjPeers> {
  const [undici, signature] = await Promise.all([import("undici"), import("@smithy/signature-v4")]);
  if (!wantsChain) return { undici, signature, chain: null };
  const { defaultProvider } = await import("@aws-sdk/credential-provider-node");
  return { undici, signature, chain: defaultProvider() };
}
