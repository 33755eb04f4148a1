import { ByteSize } from "../../config/byte-size-option.js";
import { FlagOrOptions } from "../../config/flag-or-options.js";
import { Count, Seconds } from "../../config/number-options.js";
import { Flag, Text } from "../../config/value-options.js";
import { KeyPrefix, RedisNodes, RedisUrl } from "./redis-options.js";
import { RedisTlsConfig } from "./redis-tls-config.js";

/** Of each server: more share one network, and one thread of the server. */
const MAX_CONNECTIONS = 64;

/** Options of the `redis` tier. Either `url` or `nodes` is required. */
export class RedisTierConfig {
  /**
   * One server: `redis://host:port/database`, or `rediss://` for TLS; port 6379 and database 0 by default. It may hold
   * a user and a password, percent-encoded.
   */
  @RedisUrl()
  readonly url?: string;

  /** A cluster: some of its nodes, each `host:port`. One that answers is enough, it knows the others. */
  @RedisNodes()
  readonly nodes?: readonly string[];

  /** What every key begins with. Deployments with different ones never see each other's blocks. May be empty. */
  @KeyPrefix()
  readonly keyPrefix: string = "kvtier:";

  /** Seconds after its last store or load after which the server drops a block. Left out: it never expires. */
  @Seconds({ optional: true })
  readonly ttlS?: number;

  /** Whether connections are encrypted: `true`, or an object with files. A `rediss://` URL says so too. */
  @FlagOrOptions(() => RedisTlsConfig)
  readonly tls?: boolean | RedisTlsConfig;

  /** ACL user; the server's default user when left out. */
  @Text({ optional: true })
  readonly username?: string;

  @Text({ optional: true })
  readonly password?: string;

  /** Connections for blocks to each server. One more is for look-ups, so that they never wait behind blocks. */
  @Count({ max: MAX_CONNECTIONS })
  readonly connections: number = 4;

  /**
   * Seconds from its submission after which a job or a look-up is given up. A connection with a command that is not
   * answered within this is replaced.
   */
  @Seconds()
  readonly deadlineS: number = 30;

  /** Bytes of blocks that may wait to be stored. A store over it ends at once as failed, counted as dropped. */
  @ByteSize()
  readonly maxQueuedBytes: number = 256 * 2 ** 20;

  /**
   * Whether blocks are stored with a checksum of namespace, key, size and bytes, and loads verify it: one that does not
   * match is a failed load, and is removed. Blocks that were stored without one load all the same.
   */
  @Flag()
  readonly checksum: boolean = true;
}
