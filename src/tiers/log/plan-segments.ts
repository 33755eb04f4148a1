import { formatByteSize } from "../../config/byte-size.js";
import { configInvalid } from "../../config/config-invalid.js";
import type { LogTierConfig } from "./log-tier-config.js";
import { segmentBytesOf, slotsIn } from "./worker/segment-format.js";

/** Large enough that a segment is recycled seldom, and small enough that little is lost at a time. */
const DEFAULT_SEGMENT_BYTES = 256 * 2 ** 20;
/** With fewer, recycling one would leave nothing. */
const MIN_SEGMENTS = 2;
/** Of `max_bytes`, if the default is more than that. */
const DEFAULT_SEGMENTS = 4;

export interface SegmentPlan {
  /** Blocks of a segment. */
  readonly slots: number;
  /** The most segments there may be. */
  readonly maxSegments: number;
}

/**
 * How many segments of which size make a log, for blocks of `blockBytes` bytes.
 *
 * @throws KvTierError `CONFIG_INVALID` when there is no room for two segments, or none for a block in one.
 */
export function planSegments(
  { maxBytes, segmentBytes }: Pick<LogTierConfig, "maxBytes" | "segmentBytes">,
  blockBytes: number,
): SegmentPlan {
  const leastBytes = segmentBytesOf({ slots: 1, blockBytes });
  const least = `${leastBytes} bytes (a block of ${formatByteSize(blockBytes)} and its entry)`;
  if (segmentBytes !== undefined && segmentBytes < leastBytes) {
    throw configInvalid(
      [{ path: "segment_bytes", message: `must be at least ${least}; got ${segmentBytes}` }],
      "log tier",
    );
  }
  const byDefault = Math.min(DEFAULT_SEGMENT_BYTES, Math.floor((maxBytes ?? Infinity) / DEFAULT_SEGMENTS));
  const slots = slotsIn(Math.max(leastBytes, segmentBytes ?? byDefault), blockBytes);
  const maxSegments = Math.floor((maxBytes ?? Infinity) / segmentBytesOf({ slots, blockBytes }));
  if (maxSegments < MIN_SEGMENTS) {
    const message = `must have room for ${MIN_SEGMENTS} segments, each of at least ${least}; got ${maxBytes}`;
    throw configInvalid([{ path: "max_bytes", message }], "log tier");
  }
  return { slots, maxSegments };
}
