import { optionRule } from "../../config/option-rule.js";
import { isPlainObject } from "../../config/plain-data.js";
import { Flag, OneOf, Text } from "../../config/value-options.js";
import { endpointUrl } from "./endpoint.js";

/** Keys of `store_config` that `backend_params` may not set a second time. */
const RESERVED = [
  "bucket",
  "endpoint_override",
  "scheme",
  "access_key",
  "secret_key",
  "session_token",
  "region",
  "ca_bundle",
  "use_virtual_addressing",
  "req_checksum",
  "resp_checksum",
  "accelerated",
  "type",
];
const CHECKSUM_MODES = ["required", "supported"];
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/;

/** Where the bucket is and how to get in: upstream's keys, with upstream's meanings. */
export class ObjStoreConfig {
  /** The bucket; it must exist. */
  @optionRule(
    "bucket",
    (value) => typeof value === "string" && BUCKET.test(value),
    () => "must be the name of a bucket",
  )
  readonly bucket!: string;

  /** Host, and port if it is not the usual one, of the S3 endpoint, with or without `http://` or `https://` before it. */
  @optionRule(
    "endpoint",
    (value, args) => typeof value === "string" && endpointUrl(value, schemeOf(args?.object)) !== null,
    () => "must be host, host:port, or a URL of these alone, of the scheme that scheme says",
  )
  readonly endpointOverride!: string;

  /** `http` unless `endpoint_override` says otherwise. */
  @OneOf(["http", "https"], { optional: true })
  readonly scheme?: "http" | "https";

  /** With `secret_key`. Both left out or empty: the standard credential chain of AWS. */
  @Text({ empty: true })
  @PairedWith("secretKey")
  readonly accessKey: string = "";

  @Text({ empty: true })
  @PairedWith("accessKey")
  readonly secretKey: string = "";

  /** Of temporary keys that are given here. They cannot be renewed; those of the credential chain can. */
  @Text({ empty: true })
  readonly sessionToken: string = "";

  /** What requests are signed for; empty: `us-east-1`. */
  @Text({ empty: true })
  readonly region: string = "";

  /** File of the certificates (PEM) that are trusted with `https`, in place of those that Node trusts; empty: those. */
  @Text({ empty: true })
  readonly caBundle: string = "";

  /** Whether the bucket is a part of the host name (`bucket.host`) rather than of the path. */
  @Flag()
  readonly useVirtualAddressing: boolean = false;

  /**
   * `supported`: each store carries a SHA-256 of its body, which the server verifies, and which costs a processor about
   * as much as all the rest. `required`: none; what is stored wrong is found when it is loaded.
   */
  @OneOf(CHECKSUM_MODES)
  readonly reqChecksum: string = "required";

  /** Either is fine: loads verify kvtier's own checksum, which no server need know. */
  @OneOf(CHECKSUM_MODES)
  readonly respChecksum: string = "required";

  /** Only `false`: that is for transports which this client does not have. */
  @optionRule("accelerated", (value) => value === false, () => "must be false: there is no accelerated transport here")
  readonly accelerated: boolean = false;

  /** Of an accelerated transport, and without a meaning here. */
  @Text({ empty: true, optional: true })
  readonly type?: string;

  /** For upstream's transport, and without a meaning here. */
  @optionRule("backendParams", isFreeOfReserved, () => `must be an object without ${RESERVED.join(", ")}`, true)
  readonly backendParams?: Readonly<Record<string, unknown>>;
}

/** Both given, or neither. */
function PairedWith(other: "accessKey" | "secretKey"): PropertyDecorator {
  const isGiven = (value: unknown): boolean => value !== "" && value !== undefined;
  return optionRule(
    "pairedWith",
    (value, args) => isGiven(value) || !isGiven(args === undefined ? "" : Reflect.get(args.object, other)),
    () => "must be given together with access_key and secret_key, or neither of them",
  );
}

function schemeOf(config: object | undefined): unknown {
  return config === undefined ? undefined : Reflect.get(config, "scheme");
}

function isFreeOfReserved(value: unknown): boolean {
  return isPlainObject(value) && RESERVED.every((key) => !Object.hasOwn(value, key));
}
