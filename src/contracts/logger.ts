export type LogMethod = (message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Where kvtier reports what it does. Fields never hold a secret or the content of a block. */
export interface Logger {
  debug: LogMethod;
  info: LogMethod;
  warn: LogMethod;
  error: LogMethod;
}

const print =
  (write: (...parts: unknown[]) => void): LogMethod =>
  (message, fields) =>
    fields === undefined ? write(`kvtier: ${message}`) : write(`kvtier: ${message}`, fields);

/** The default: warnings and errors on standard error, the rest nowhere. */
export const consoleLogger: Logger = Object.freeze({
  debug: () => {},
  info: () => {},
  warn: print((...parts) => console.warn(...parts)),
  error: print((...parts) => console.error(...parts)),
});

export const silentLogger: Logger = Object.freeze({
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
});
