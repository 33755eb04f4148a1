import { Flag, Text } from "../../config/value-options.js";

/** How the server is recognised, and how this client shows who it is. Files are in PEM, read when the tier starts. */
export class RedisTlsConfig {
  /** Certificates of the authorities that are trusted, instead of those that Node brings. */
  @Text({ optional: true })
  readonly caFile?: string;

  /** Certificate of this client, for a server that asks for one; with `key_file`. */
  @Text({ optional: true })
  readonly certFile?: string;

  @Text({ optional: true })
  readonly keyFile?: string;

  /** Name that the server's certificate must be for, when that is not the host that is connected to. */
  @Text({ optional: true })
  readonly serverName?: string;

  /** `false` takes any certificate, and so whoever is in the way. For tests. */
  @Flag()
  readonly verify: boolean = true;
}
