import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "@jest/globals";
import type { RedisTierConfig } from "../../../../src/tiers/redis/redis-tier-config.js";
import { withRedis } from "../../../support/redis/redis-rig.js";
import { RespCluster } from "../../../support/redis/resp-cluster.js";
import { RespPeer } from "../../../support/redis/resp-peer.js";
import { ErrorReply } from "../../../support/redis/resp.js";

const PASSWORD = "pa55-w0rd-of-the-server";

/** What the start fails with. */
function failure(config: Partial<RedisTierConfig>): Promise<string> {
  return withRedis(config, async () => {}).then(
    () => "it started",
    (error: unknown) => inspect(error),
  );
}

describe("the start of the redis tier", () => {
  const running: { stop(): Promise<void> }[] = [];
  const startPeer = async (options: { password?: string } = {}): Promise<RespPeer> => {
    const peer = await RespPeer.start(options);
    running.push(peer);
    return peer;
  };
  afterEach(async () => void (await Promise.all(running.splice(0).map((server) => server.stop()))));

  it("takes the password from the URL, or from its option", async () => {
    const peer = await startPeer({ password: PASSWORD });
    await withRedis({ url: `redis://:${PASSWORD}@127.0.0.1:${peer.port}` }, async () => {});
    await withRedis({ url: peer.url, password: PASSWORD }, async () => {});
    expect(peer.count("SET")).toBe(2);
  });

  it("says so when the password is wrong or missing, without showing one", async () => {
    const peer = await startPeer({ password: PASSWORD });
    const wrong = await failure({ url: `redis://:not-${PASSWORD}@127.0.0.1:${peer.port}` });
    expect(wrong).toContain("Check username and password");
    expect(wrong).not.toContain(PASSWORD);
    expect(await failure({ url: peer.url })).toContain("set password");
  });

  it("says so when nothing listens", async () => {
    const peer = await startPeer();
    await peer.stop();
    expect(await failure({ url: peer.url })).toContain("Nothing listens there");
  });

  it("says so when there is no such host", async () => {
    expect(await failure({ url: "redis://no-such-host.invalid:6379" })).toContain("There is no such host");
  });

  it("says so when the server hangs up, as one that wants TLS does", async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await failure({ url: `redis://127.0.0.1:${port}` })).toContain("if the port is for TLS, set tls");
    await new Promise((resolve) => server.close(resolve));
  });

  it("says so when the server does not speak TLS", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => socket.end("-ERR Protocol error\r\n"));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await failure({ url: `rediss://127.0.0.1:${port}` })).toContain("seems not to speak TLS");
    await new Promise((resolve) => server.close(resolve));
  });

  it("tells a cluster from a server", async () => {
    const peer = await startPeer();
    expect(await failure({ nodes: [`127.0.0.1:${peer.port}`] })).toContain("Use url instead of nodes");
    const cluster = await RespCluster.start(1);
    running.push(cluster);
    expect(await failure({ url: cluster.peers[0]?.url ?? "" })).toContain("Use nodes instead of url");
  });

  it("says so when what listens does not speak Redis", async () => {
    const server = createHttpServer((_, response) => response.end("hello")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await failure({ url: `redis://127.0.0.1:${port}` })).toContain("does not speak Redis");
    await new Promise((resolve) => server.close(resolve));
  });

  it.each([
    ["ERR DB index is out of range", "has fewer databases"],
    ["ERR max number of clients reached", "raise its maxclients"],
  ])("says what to check when the server answers: %s", async (reply, hint) => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => socket.write(`-${reply}\r\n`));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo;
    expect(await failure({ url: `redis://:${PASSWORD}@127.0.0.1:${port}/7` })).toContain(hint);
    await new Promise((resolve) => server.close(resolve));
  });

  it("fails when the user may not store blocks, and names the command", async () => {
    const peer = await startPeer();
    peer.on("SET", () => new ErrorReply("NOPERM User kv has no permissions to run the 'set' command"));
    expect(await failure({ url: peer.url })).toMatch(/'set' command.*ACL user/);
  });

  it("goes on, with a warning, when the server is not ready yet", async () => {
    const peer = await startPeer();
    peer.on("EXISTS", () => new ErrorReply("LOADING Redis is loading the dataset in memory"));
    await withRedis({ url: peer.url }, async ({ lines, rig }) => {
      expect(lines.map((line) => line.message)).toContain("The server is not ready for blocks yet");
      peer.off("EXISTS");
      expect(await rig.store([1])).toMatchObject({ success: true });
    });
  });

  it("says so when the queue has no room for a block", async () => {
    const peer = await startPeer();
    expect(await failure({ url: peer.url, maxQueuedBytes: 999 })).toContain("max_queued_bytes: must have room");
  });
});
