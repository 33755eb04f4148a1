import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, it } from "@jest/globals";
import { BlockClient } from "../../../../src/tiers/redis/block-client.js";
import { RespPeer } from "../../../support/redis/resp-peer.js";
import { ErrorReply, Status } from "../../../support/redis/resp.js";

const running: { stop(): unknown }[] = [];
afterEach(async () => void (await Promise.all(running.splice(0).map((one) => one.stop()))));

async function startPeer(options: { password?: string } = {}): Promise<RespPeer> {
  const peer = await RespPeer.start(options);
  running.push(peer);
  return peer;
}

function createClient({ port }: { readonly port: number }, password?: string): BlockClient {
  const client = new BlockClient({
    name: "kvtier",
    ...(password !== undefined && { password }),
    socket: { host: "127.0.0.1", port },
    disableOfflineQueue: true,
    disableClientInfo: true,
    maintNotifications: "disabled",
    commandOptions: {},
  });
  running.push({ stop: () => client.destroy() });
  client.on("error", () => {});
  return client;
}

const endOf = (client: BlockClient): Promise<Error> => new Promise((resolve) => client.once("error", resolve));

/** Shared memory, as that of the pool. */
const sharedBytes = (length: number, byte = 0): Uint8Array => new Uint8Array(new SharedArrayBuffer(length)).fill(byte);

describe("a connection for blocks", () => {
  it("sends the pieces of a value as one, and reads it into the pieces of another", async () => {
    const peer = await startPeer();
    const client = createClient(peer);
    await client.connect();
    const block = sharedBytes(300_000).map((_, i) => i * 7);
    expect(await client.sendCommand(["SET", "k", [block, Buffer.from("tail")]])).toBe("OK");
    expect(peer.data.get("k")).toEqual(Buffer.concat([block, Buffer.from("tail")]));
    const [into, tail] = [sharedBytes(300_000), sharedBytes(4)];
    expect(await client.sendCommand(["GET", "k"], () => [into, tail])).toBe(300_004);
    expect([Buffer.from(into), Buffer.from(tail).toString()]).toEqual([Buffer.from(block), "tail"]);
  });

  it("gives each of many commands that are out its own answer", async () => {
    const peer = await startPeer();
    const client = createClient(peer);
    await client.connect();
    peer.on("GET", ([key]) => (key?.toString() === "7" ? new ErrorReply("ERR seven") : undefined));
    const places = Array.from({ length: 20 }, () => sharedBytes(5000));
    for (const [i] of places.entries()) void client.sendCommand(["SET", String(i), [sharedBytes(5000, i)]]);
    const gets = places.map((place, i) => client.sendCommand(["GET", String(i)], () => [place]).catch(String));
    expect(await Promise.all(gets)).toEqual(places.map((_, i) => (i === 7 ? "Error: ERR seven" : 5000)));
    expect(places.map((place) => place[4999])).toEqual(places.map((_, i) => (i === 7 ? 0 : i)));
  });

  it("is let in with the password", async () => {
    const peer = await startPeer({ password: "pw" });
    await createClient(peer, "pw").connect();
    await expect(createClient(peer, "other").connect()).rejects.toThrow("WRONGPASS");
    await expect(createClient(peer).connect()).rejects.toThrow("NOAUTH");
  });

  it("fails what is out, says so once, and touches no memory any more, when the server hangs up", async () => {
    const peer = await startPeer();
    const client = createClient(peer);
    await client.connect();
    let errors = 0;
    client.on("error", () => errors++);
    peer.freeze();
    const get = client.sendCommand(["GET", "k"], () => [sharedBytes(1)]);
    const ended = endOf(client);
    peer.hangUp();
    await expect(get).rejects.toThrow("closed");
    await ended;
    await expect(client.sendCommand(["GET", "k"])).rejects.toThrow("closed");
    expect(errors).toBe(1);
  });

  it("sends nothing of a block any more once it has ended, however much was still to go", async () => {
    let accepted: Socket | undefined;
    const server = createServer((socket) => {
      accepted = socket;
      socket.on("error", () => {});
      // Answers the greeting, and then reads no more.
      socket.once("data", () => socket.pause().write("+OK\r\n"));
    }).listen(0, "127.0.0.1");
    running.push({ stop: () => void server.close() });
    await once(server, "listening");
    const client = createClient(server.address() as AddressInfo);
    await client.connect();
    const block = sharedBytes(32 * 2 ** 20, 1);
    const set = client.sendCommand(["SET", "k", [block]]);
    await turn();
    client.destroy();
    await expect(set).rejects.toThrow("closed");
    block.fill(0xff);
    const received: Buffer[] = [];
    accepted?.on("data", (chunk: Buffer) => received.push(chunk));
    const closed = new Promise((resolve) => accepted?.once("close", resolve));
    accepted?.resume();
    await closed;
    expect(Buffer.concat(received).includes(0xff)).toBe(false);
  });

  it("fails what is out when it is destroyed, also before it is connected", async () => {
    const peer = await startPeer();
    const client = createClient(peer);
    const connecting = client.connect();
    client.destroy();
    await expect(connecting).rejects.toThrow("closed");
    client.destroy();
    await expect(client.sendCommand(["GET", "k"])).rejects.toThrow("closed");
  });

  it("ends when the server answers what is no reply", async () => {
    const peer = await startPeer();
    const client = createClient(peer);
    await client.connect();
    peer.on("GET", () => new Status("OK\r\n?"));
    const [ended] = [endOf(client), await client.sendCommand(["GET", "k"])];
    expect(String(await ended)).toContain("no reply");
  });
});
