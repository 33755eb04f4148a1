import type { Clock } from "../../contracts/clock.js";
import { DeadlineQueue } from "../shared/deadline-queue.js";
import { BlockClient } from "./block-client.js";
import type { SettingsFor } from "./client-settings.js";
import { ClusterMap } from "./cluster-map.js";
import type { RedisAddress } from "./redis-address.js";
import type { CreateClient } from "./redis-client.js";
import type { RedisError } from "./redis-error.js";
import { RedisServer } from "./redis-server.js";
import type { ServerMap } from "./server-map.js";
import { SingleServer } from "./single-server.js";

export interface ServersParts {
  readonly createClient: CreateClient;
  readonly settingsFor: SettingsFor;
  readonly clock: Clock;
  readonly addresses: readonly RedisAddress[];
  readonly isCluster: boolean;
  /** To each server. */
  readonly connections: number;
  readonly deadlineS: number;
  /** A connection was lost or could not be made, or no node of the cluster tells where its keys are. */
  onLost(error: RedisError): void;
  /** Other servers may have the keys now: these. */
  onMasters(masters: readonly RedisServer[]): void;
}

/**
 * Connects to the servers. Those that cannot be reached are tried again for ever; nothing here waits for them longer than
 * for their first attempt.
 */
export async function openServers(parts: ServersParts): Promise<ServerMap> {
  const { createClient, settingsFor, clock, addresses, isCluster, connections, deadlineS } = parts;
  const deadlines = new DeadlineQueue(clock, deadlineS);
  const createServer = (address: RedisAddress, onLost = (): void => {}): RedisServer =>
    new RedisServer({
      address,
      connections,
      clock,
      deadlines,
      createClient: () => createClient(settingsFor(address)),
      createBlockClient: () => new BlockClient(settingsFor(address)),
      onLost: (error) => {
        parts.onLost(error);
        onLost();
      },
    });
  const [first] = addresses;
  if (first === undefined) throw new Error("There is no server to connect to.");
  if (isCluster) {
    const map = new ClusterMap({
      clock,
      createServer,
      seeds: addresses,
      onLost: (error) => parts.onLost(error),
      onMasters: (masters) => parts.onMasters(masters),
    });
    await map.open();
    return map;
  }
  const server = createServer(first);
  await server.open();
  return new SingleServer(server, clock);
}
