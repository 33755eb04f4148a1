import { keySlot, SLOTS } from "../../../src/tiers/redis/key-slot.js";
import { ErrorReply, type Reply } from "./resp.js";
import { RespPeer } from "./resp-peer.js";

/** Position of the first key and how many there are, for the commands that have keys. */
const KEYED: Readonly<Record<string, (args: number) => number>> = {
  SET: () => 1,
  GET: () => 1,
  GETEX: () => 1,
  EXISTS: (args) => args,
  UNLINK: (args) => args,
  MGET: (args) => args,
};

/** A cluster of peers with as many slots each, which refuses what a cluster refuses. */
export class RespCluster {
  readonly peers: RespPeer[] = [];
  /** The peer that has a slot. */
  readonly owners: RespPeer[] = [];

  static async start(size: number): Promise<RespCluster> {
    const cluster = new RespCluster();
    for (let i = 0; i < size; i++) cluster.#add(await RespPeer.start());
    for (let slot = 0; slot < SLOTS; slot++) {
      const owner = cluster.peers[Math.floor((slot * size) / SLOTS)];
      if (owner !== undefined) cluster.owners.push(owner);
    }
    return cluster;
  }

  /** Addresses, as the option `nodes` takes them. */
  get nodes(): string[] {
    return this.peers.map((peer) => `127.0.0.1:${peer.port}`);
  }

  /** All keys that any peer holds. */
  get keys(): string[] {
    return this.peers.flatMap((peer) => [...peer.data.keys()]);
  }

  /** Moves a slot, with what it holds. Clients hear of it when they ask the wrong peer. */
  move(slot: number, to: RespPeer): void {
    const from = this.owners[slot];
    this.owners[slot] = to;
    for (const [key, value] of from?.data ?? []) {
      if (keySlot(key) !== slot) continue;
      from?.data.delete(key);
      to.data.set(key, value);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer.stop()));
  }

  #add(peer: RespPeer): void {
    this.peers.push(peer);
    peer.mode = "cluster";
    peer.on("CLUSTER", () => this.#slots());
    for (const [name, keysIn] of Object.entries(KEYED)) {
      peer.on(name, (args) => this.#refusal(peer, args.slice(0, keysIn(args.length)).map(String)));
    }
  }

  #refusal(peer: RespPeer, keys: readonly string[]): Reply | undefined {
    const slots = new Set(keys.map(keySlot));
    if (slots.size > 1) return new ErrorReply("CROSSSLOT Keys in request don't hash to the same slot");
    const [slot = 0] = slots;
    const owner = this.owners[slot];
    if (owner === undefined) return new ErrorReply("CLUSTERDOWN Hash slot not served");
    return owner === peer ? undefined : new ErrorReply(`MOVED ${slot} 127.0.0.1:${owner.port}`);
  }

  #slots(): Reply {
    const ranges: [number, number, Reply][] = [];
    this.owners.forEach((owner, slot) => {
      const last = ranges.at(-1);
      const master: Reply = ["127.0.0.1", owner.port, `node-${owner.port}`];
      if (last !== undefined && this.owners[last[0]] === owner) last[1] = slot;
      else ranges.push([slot, slot, master]);
    });
    return ranges;
  }
}
