import { InvalidArgumentError } from "commander";
import { BYTE_SIZE_FORM, byteSizeOf } from "../config/byte-size.js";

/** `4096` or `4KiB` → bytes, at least 1. */
export function readBlockBytes(text: string): number {
  const bytes = byteSizeOf(/^\d+$/.test(text) ? Number(text) : text);
  if (bytes === undefined || bytes < 1) throw new InvalidArgumentError(`It must be ${BYTE_SIZE_FORM}, at least 1.`);
  return bytes;
}

export function readCount(text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!Number.isSafeInteger(count) || count < 1)
    throw new InvalidArgumentError("It must be a whole number, at least 1.");
  return count;
}

/** 0 stands for any that is free. */
export function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65535)) throw new InvalidArgumentError("It must be a port, 0 to 65535.");
  return port;
}

export function readSeconds(text: string): number {
  const seconds = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : NaN;
  if (!(seconds > 0)) throw new InvalidArgumentError("It must be a number of seconds above 0.");
  return seconds;
}

/** For an option that may be given several times. */
export function append(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text];
}
