import type { BlockClient, PlaceFor } from "./block-client.js";
import type { BlockCommand } from "./encode-command.js";
import { formatAddress, type RedisAddress } from "./redis-address.js";
import type { RedisClient } from "./redis-client.js";
import { RedisConnection, type ConnectionParts } from "./redis-connection.js";
import type { RedisError } from "./redis-error.js";
import type { RespReply } from "./resp-reader.js";

export interface RedisServerParts extends Omit<ConnectionParts<RedisClient>, "server"> {
  readonly createBlockClient: () => BlockClient;
  readonly address: RedisAddress;
  /** Connections for blocks. */
  readonly connections: number;
}

/** One server: connections for blocks, and one for all that is small, so that look-ups never wait behind blocks. */
export class RedisServer {
  readonly address: RedisAddress;
  /** Names it, for people, and tells it from others. */
  readonly name: string;
  readonly #small: RedisConnection<RedisClient>;
  readonly #forBlocks: readonly RedisConnection<BlockClient>[];

  constructor({ address, connections, createBlockClient, ...parts }: RedisServerParts) {
    this.address = address;
    this.name = formatAddress(address);
    const server = this.name;
    this.#small = new RedisConnection({ ...parts, server });
    const forBlocks = { ...parts, server, createClient: createBlockClient };
    this.#forBlocks = Array.from({ length: connections }, () => new RedisConnection(forBlocks));
  }

  /** Resolves when every connection is there, or has failed once. */
  async open(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.open()));
  }

  /**
   * Sends a command whose arguments and reply are small.
   *
   * @param isAsking whether the node is asked for a key that is on its way to it
   */
  send(command: readonly string[], isAsking = false): Promise<unknown> {
    return this.#small.send((client) => {
      if (isAsking) client.sendCommand(["ASKING"]).catch(() => {});
      return client.sendCommand(command);
    });
  }

  /**
   * Sends a command that carries a block, or brings one.
   *
   * @param placeFor see `BlockClient`, also for how long the memory of the block is in use
   */
  sendBlock(command: BlockCommand, placeFor: PlaceFor | null, isAsking: boolean): Promise<RespReply> {
    return this.#idlest().send((client) => {
      if (isAsking) client.sendCommand(["ASKING"]).catch(() => {});
      return client.sendCommand(command, placeFor);
    });
  }

  /** As `RedisConnection.renew`, of all. */
  renew(reason: RedisError): void {
    for (const connection of this.#all) connection.renew(reason);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  get #all(): readonly Pick<RedisConnection<RedisClient>, "open" | "renew" | "close">[] {
    return [this.#small, ...this.#forBlocks];
  }

  /** Of those that are there, the one with the fewest commands out. */
  #idlest(): RedisConnection<BlockClient> {
    return this.#forBlocks.reduce((idlest, other) => (loadOf(other) < loadOf(idlest) ? other : idlest));
  }
}

function loadOf(connection: RedisConnection<BlockClient>): number {
  return connection.isReady ? connection.pending : Infinity;
}
