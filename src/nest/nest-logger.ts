import { inspect } from "node:util";
import { Logger as NestLogger } from "@nestjs/common";
import type { Logger, LogMethod } from "../contracts/logger.js";

/**
 * Lines of kvtier through the logger of the application, whichever that is at the moment. Fields become part of the text:
 * loggers of Nest applications treat further arguments each in another way, and some drop them.
 */
export function nestLogger(context: string): Logger {
  const nest = new NestLogger(context);
  const line =
    (print: (text: string) => void): LogMethod =>
    (message, fields) =>
      print(fields === undefined ? message : `${message} ${inspect(fields, { breakLength: Infinity, compact: true })}`);
  return {
    debug: line((text) => nest.debug(text)),
    info: line((text) => nest.log(text)),
    warn: line((text) => nest.warn(text)),
    error: line((text) => nest.error(text)),
  };
}
