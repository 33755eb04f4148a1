import type { Clock } from "../../contracts/clock.js";
import { formatAddress, type RedisAddress } from "./redis-address.js";
import { isRefusedWrite, RedisError } from "./redis-error.js";
import type { RedisServer } from "./redis-server.js";
import type { ServerMap } from "./server-map.js";
import { keySlot, SLOTS } from "./key-slot.js";
import { slotRanges } from "./slot-ranges.js";

/** Seconds between two looks at the map, however many commands fail meanwhile. */
const REFRESH_EVERY_S = 0.5;

export interface ClusterMapParts {
  readonly clock: Clock;
  /** @param onLost called whenever a connection to it was lost, or could not be made */
  readonly createServer: (address: RedisAddress, onLost: () => void) => RedisServer;
  /** Asked when no server that the cluster has told of answers. */
  readonly seeds: readonly RedisAddress[];
  /** No node could tell the map: the last one stays. */
  onLost(error: RedisError): void;
  /** There is a new map, with these masters. */
  onMasters(masters: readonly RedisServer[]): void;
}

/**
 * The masters of a cluster and their slots, as its nodes tell them. Looked at anew whenever a command, or a connection that
 * is lost, shows that they may have changed.
 */
export class ClusterMap implements ServerMap {
  readonly #parts: ClusterMapParts;
  readonly #servers = new Map<string, RedisServer>();
  #slots: (RedisServer | undefined)[] = [];
  #masters: readonly RedisServer[] = [];
  #refreshing: Promise<void> | null = null;
  #refreshAt = -Infinity;
  /** Named by redirections since the last look: on its way to be a master, a server is in no map yet. */
  readonly #redirectedTo = new Set<RedisServer>();
  #isClosed = false;

  constructor(parts: ClusterMapParts) {
    this.#parts = parts;
  }

  get masters(): readonly RedisServer[] {
    return this.#masters;
  }

  /** Asks the nodes for the map. Resolves when every server in it is connected, or has failed to once. Never rejects. */
  async open(): Promise<void> {
    this.#refreshing ??= this.#refresh();
    await this.#refreshing;
  }

  ownerOf(key: string): RedisServer | null {
    const server = this.#slots[keySlot(key)];
    if (server === undefined) this.#doubted();
    return server ?? null;
  }

  serverOf(key: string): RedisServer {
    const server = this.ownerOf(key);
    if (server === null) throw new RedisError("CLUSTERDOWN", "The cluster has no master for the slot.");
    return server;
  }

  serverAt(host: string, port: number): RedisServer {
    const server = this.#serverAt({ host, port });
    this.#redirectedTo.add(server);
    this.#doubted();
    return server;
  }

  doubt(server: RedisServer, error: RedisError): void {
    if (!isRefusedWrite(error) || error.code === "READONLY") this.#doubted(server);
  }

  close(): void {
    this.#isClosed = true;
    for (const server of this.#servers.values()) server.close();
  }

  #doubted(askLast?: RedisServer): void {
    const { clock } = this.#parts;
    if (this.#refreshing !== null || this.#isClosed || clock.now() < this.#refreshAt) return;
    this.#refreshing = this.#refresh(askLast);
  }

  async #refresh(askLast?: RedisServer): Promise<void> {
    try {
      await this.#askAll(askLast);
    } finally {
      this.#refreshAt = this.#parts.clock.now() + REFRESH_EVERY_S;
      this.#refreshing = null;
    }
  }

  /** Asks one node after the other, until one tells: those that are known first, then the seeds. */
  async #askAll(askLast?: RedisServer): Promise<void> {
    let lastError = new RedisError("CLUSTERDOWN", "The cluster has no node to ask.");
    for (const address of this.#addressesToAsk(askLast)) {
      if (this.#isClosed) return;
      const server = this.#serverAt(address);
      try {
        await this.#take(await server.send(["CLUSTER", "SLOTS"]), server);
        return;
      } catch (error) {
        lastError = RedisError.from(error, server.name);
      }
    }
    this.#parts.onLost(lastError);
  }

  #addressesToAsk(askLast: RedisServer | undefined): RedisAddress[] {
    const known = this.#masters.filter((server) => server !== askLast).map((server) => server.address);
    const all = [...known, ...this.#parts.seeds, ...(askLast === undefined ? [] : [askLast.address])];
    return [...new Map(all.map((address) => [formatAddress(address), address])).values()];
  }

  async #take(reply: unknown, from: RedisServer): Promise<void> {
    const ranges = slotRanges(reply, from.address.host);
    const slots = new Array<RedisServer | undefined>(SLOTS);
    for (const { first, last, master } of ranges) slots.fill(this.#serverAt(master), first, last + 1);
    this.#slots = slots;
    this.#masters = [...new Set(slots)].filter((server) => server !== undefined);
    this.#parts.onMasters(this.#masters);
    for (const [name, server] of this.#servers) {
      if (this.#masters.includes(server) || this.#redirectedTo.has(server)) continue;
      this.#servers.delete(name);
      server.close();
    }
    this.#redirectedTo.clear();
    await Promise.all(this.#masters.map((server) => server.open()));
  }

  #serverAt(address: RedisAddress): RedisServer {
    const name = formatAddress(address);
    let server = this.#servers.get(name);
    if (server === undefined) {
      // A master that is gone may have been replaced, also while nobody asks it for anything.
      const created = this.#parts.createServer(address, () => this.#doubted(created));
      this.#servers.set(name, created);
      server = created;
    }
    return server;
  }
}
