import { channel } from "node:diagnostics_channel";
import type {
  BreakerMessage,
  EvictMessage,
  JobFailureMessage,
  LookupMessage,
  PressureMessage,
  StoreDroppedMessage,
  TransferMessage,
} from "./messages.js";

/** A channel of `node:diagnostics_channel` with one form of message. */
export interface TypedChannel<Message> {
  readonly name: string | symbol;
  readonly hasSubscribers: boolean;
  publish(message: Message): void;
}

const open = <Message>(name: string): TypedChannel<Message> => channel(name);

/**
 * What the caches of this process tell whoever subscribed with `node:diagnostics_channel`. Nobody builds a message before
 * `hasSubscribers` says that somebody wants it, so that a channel without subscribers costs one look at a property.
 * Messages are told of in the same turn, and belong to the subscriber.
 */
export const CHANNELS = Object.freeze({
  lookup: open<LookupMessage>("kvtier:lookup"),
  promotion: open<TransferMessage>("kvtier:promotion"),
  cascade: open<TransferMessage>("kvtier:cascade"),
  jobFailure: open<JobFailureMessage>("kvtier:job-failure"),
  storeDropped: open<StoreDroppedMessage>("kvtier:store-dropped"),
  evict: open<EvictMessage>("kvtier:evict"),
  pressure: open<PressureMessage>("kvtier:pressure"),
  breaker: open<BreakerMessage>("kvtier:breaker"),
});
