import type { Command, ConnectionParts } from "./redis-connection.js";
import { RedisConnection } from "./redis-connection.js";
import { formatAddress, type RedisAddress } from "./redis-address.js";
import type { RedisError } from "./redis-error.js";

export interface RedisServerParts extends Omit<ConnectionParts, "server"> {
  readonly address: RedisAddress;
  /** Connections for blocks. */
  readonly connections: number;
}

/** One server: connections for blocks, and one for all that is small, so that look-ups never wait behind blocks. */
export class RedisServer {
  readonly address: RedisAddress;
  /** Names it, for people, and tells it from others. */
  readonly name: string;
  readonly #small: RedisConnection;
  readonly #forBlocks: readonly RedisConnection[];

  constructor({ address, connections, ...parts }: RedisServerParts) {
    this.address = address;
    this.name = formatAddress(address);
    const connection = (): RedisConnection => new RedisConnection({ ...parts, server: this.name });
    this.#small = connection();
    this.#forBlocks = Array.from({ length: connections }, connection);
  }

  /** Resolves when every connection is there, or has failed once. */
  async open(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.open()));
  }

  /** Sends a command whose arguments and reply are small. */
  send(command: Command, asking = false): Promise<unknown> {
    return this.#small.send(command, { asking });
  }

  /** Sends a command that carries a block, or brings one; strings come as bytes. */
  sendBlock(command: Command, asking = false): Promise<unknown> {
    return this.#idlest().send(command, { asking, asBytes: true });
  }

  /** As `RedisConnection.renew`, of all. */
  renew(reason: RedisError): void {
    for (const connection of this.#all) connection.renew(reason);
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  get #all(): readonly RedisConnection[] {
    return [this.#small, ...this.#forBlocks];
  }

  /** Of those that are there, the one with the fewest commands out. */
  #idlest(): RedisConnection {
    let idlest = this.#small;
    let fewest = Infinity;
    for (const connection of this.#forBlocks) {
      const load = connection.isReady ? connection.pending : Number.MAX_SAFE_INTEGER;
      if (load >= fewest) continue;
      idlest = connection;
      fewest = load;
    }
    return idlest;
  }
}
