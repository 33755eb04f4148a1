import { describeValue } from "./describe-value.js";
import { configInvalid } from "./config-invalid.js";

const UNITS: ReadonlyMap<string, bigint> = new Map<string, bigint>([
  ["b", 1n],
  ...["k", "m", "g", "t", "p"].flatMap((letter, i): [string, bigint][] => [
    [`${letter}b`, 1000n ** BigInt(i + 1)],
    [`${letter}ib`, 1024n ** BigInt(i + 1)],
  ]),
]);

const SIZE = /^(\d{1,18})(?:\.(\d{1,18}))? ?([kmgtp]?i?b)$/i;

/** What {@link parseByteSize} accepts, for messages. */
export const BYTE_SIZE_FORM = 'a whole number of bytes, or a size such as "256MiB" or "4GB"';

/**
 * Bytes from a non-negative safe integer, or from a number with its unit: `123B`, `64KB` (1000), `256MiB` (1024),
 * `1.5 GiB`. Units up to `PiB`, in any letter case; the size must come out as whole bytes.
 *
 * @throws KvTierError `CONFIG_INVALID` for anything else, a string without a unit too.
 */
export function parseByteSize(value: number | string): number {
  const bytes = byteSizeOf(value);
  if (bytes === undefined) {
    throw configInvalid([{ path: "", message: `must be ${BYTE_SIZE_FORM}; got ${describeValue(value)}` }], "size");
  }
  return bytes;
}

/** As {@link parseByteSize}; `undefined` for anything that is no size. */
export function byteSizeOf(value: unknown): number | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  if (typeof value !== "string") return undefined;
  const [, whole, fraction = "", unit] = SIZE.exec(value) ?? [];
  const factor = unit === undefined ? undefined : UNITS.get(unit.toLowerCase());
  if (whole === undefined || factor === undefined) return undefined;
  // In integers: 0.3 of a unit is no double, and rounding would move a size by a byte.
  const scaled = BigInt(whole + fraction) * factor;
  const scale = 10n ** BigInt(fraction.length);
  const bytes = Number(scaled / scale);
  return scaled % scale === 0n && Number.isSafeInteger(bytes) ? bytes : undefined;
}

/** `bytes` for people, in the largest binary unit that is not above it, with at most two decimals: `1.5 GiB`. */
export function formatByteSize(bytes: number): string {
  const names = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let amount = bytes;
  let unit = 0;
  while (amount >= 1024 && unit < names.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${Number(amount.toFixed(2))} ${names[unit] ?? "B"}`;
}
