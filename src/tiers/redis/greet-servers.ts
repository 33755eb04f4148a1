import type { Clock } from "../../contracts/clock.js";
import { CONNECT_S, type SettingsFor } from "./client-settings.js";
import { hintFor } from "./diagnose.js";
import { formatAddress, type RedisAddress } from "./redis-address.js";
import type { CreateClient, RedisClient } from "./redis-client.js";
import { RedisError, TIMED_OUT } from "./redis-error.js";

export interface GreetingParts {
  readonly createClient: CreateClient;
  readonly settingsFor: SettingsFor;
  readonly clock: Clock;
  /** One server, or some nodes of a cluster. */
  readonly addresses: readonly RedisAddress[];
  readonly isCluster: boolean;
}

/**
 * Makes sure that one of the servers is there, lets us in, and is what the config takes it for.
 *
 * @throws Error that says what to check, and holds no secret
 */
export async function greetServers(parts: GreetingParts): Promise<void> {
  const faults: string[] = [];
  for (const address of parts.addresses) {
    const server = formatAddress(address);
    try {
      checkMode(await modeOf(parts, address), parts.isCluster, server);
      return;
    } catch (error) {
      const fault = RedisError.from(error, server);
      const isTls = parts.settingsFor(address).socket.tls === true;
      faults.push(`${fault.message.replace(/\.?$/, ".")}${hintFor(fault, isTls)}`);
    }
  }
  throw new Error(`No Redis server can be used: ${faults.join(" ")}`);
}

/** What the server says it is: `standalone`, `cluster` or `sentinel`. */
async function modeOf({ createClient, settingsFor, clock }: GreetingParts, address: RedisAddress): Promise<unknown> {
  const client = createClient(settingsFor(address));
  let firstError: unknown;
  client.on("error", (error) => (firstError ??= error));
  const cancel = clock.after(CONNECT_S, () => {
    firstError ??= new RedisError(TIMED_OUT, `${formatAddress(address)}: no greeting within ${CONNECT_S} s.`);
    client.destroy();
  });
  try {
    await client.connect();
    return modeIn(await helloOf(client));
  } catch (error) {
    throw firstError ?? error;
  } finally {
    cancel();
    client.destroy();
  }
}

/** Every server answers it, whatever its user may do. */
function helloOf(client: RedisClient): Promise<unknown> {
  return client.sendCommand(["HELLO"]);
}

function modeIn(reply: unknown): unknown {
  return typeof reply === "object" && reply !== null ? Reflect.get(reply, "mode") : undefined;
}

function checkMode(mode: unknown, isCluster: boolean, server: string): void {
  if (mode === "sentinel") throw new RedisError("SENTINEL", `${server}: it is a sentinel. Name the master itself.`);
  if (isCluster && mode !== "cluster") {
    throw new RedisError("NOT_A_CLUSTER", `${server}: it is not part of a cluster. Use url instead of nodes.`);
  }
  if (!isCluster && mode === "cluster") {
    throw new RedisError("A_CLUSTER", `${server}: it is part of a cluster. Use nodes instead of url.`);
  }
}
