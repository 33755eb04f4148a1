import { Type } from "class-transformer";
import { ValidateNested } from "class-validator";
import { Count, Seconds } from "../../config/number-options.js";
import { optionRule } from "../../config/option-rule.js";
import { Flag } from "../../config/value-options.js";
import { ObjStoreConfig } from "./store-config.js";

/** Of the 1,024 bytes that a name may have, the rest is for namespace, hash and group. */
const MAX_PREFIX_BYTES = 512;
const MAX_IO_THREADS = 256;

/** Options of the `obj` tier. */
export class ObjTierConfig {
  /** Bucket, endpoint and credentials. */
  @ValidateNested()
  @Type(() => ObjStoreConfig)
  readonly storeConfig!: ObjStoreConfig;

  /** What the names of all objects begin with, as a folder: `kv/prod`. Empty: they lie at the root of the bucket. */
  @optionRule("prefix", isPrefix, () => `must be parts with a slash between them, at most ${MAX_PREFIX_BYTES} bytes`)
  readonly prefix: string = "";

  /**
   * Connections that store and load: so many blocks are on their way at once, of which stores take all but one.
   * Look-ups have four times as many of their own. More are worth it where a request takes long, as over a wide network.
   */
  @Count({ max: MAX_IO_THREADS })
  readonly ioThreads: number = 4;

  /** Blocks of stores that may wait. A store over it ends at once as failed, counted as dropped. */
  @Count()
  readonly maxQueuedBlocks: number = 4096;

  /** Seconds from its submission after which a job or a look-up is given up; retries are within it. */
  @Seconds()
  readonly deadlineS: number = 30;

  /**
   * Whether blocks are stored with a checksum of namespace, name, size and bytes, and loads verify it: one that does not
   * match is a failed load, and its object is deleted. Blocks that were stored without one load all the same.
   */
  @Flag()
  readonly checksum: boolean = true;
}

/** A slash at the end may be there. Parts that clients and servers take for a way up or down are refused. */
function isPrefix(value: unknown): boolean {
  if (typeof value !== "string" || Buffer.byteLength(value) > MAX_PREFIX_BYTES) return false;
  if (value === "") return true;
  // eslint-disable-next-line no-control-regex -- they are what must not be in it
  if (/[\u0000-\u001f\u007f\\]|[\ud800-\udfff]/.test(value.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "")))
    return false;
  return value
    .replace(/\/$/, "")
    .split("/")
    .every((part) => part !== "" && part !== "." && part !== "..");
}
