import { reasonOf } from "../errors/factory-errors.js";
import { KvTierError, type KvTierErrorCode } from "../errors/kv-tier-error.js";
import type { CliEnvironment } from "./cli-environment.js";
import { CliError } from "./cli-error.js";
import { ExitCode } from "./exit-code.js";
import { secretMask } from "./secret-mask.js";

/** Codes of what the system refused rather than the config. */
const NOT_THE_CONFIG: ReadonlySet<KvTierErrorCode> = new Set([
  "TIER_INIT_FAILED",
  "SHUTDOWN_FAILED",
  "CLOSED",
  "INVALID_STATE",
]);

/**
 * Where a command says what it has to say: its one result on standard output, as text or as one JSON object, and
 * everything else on standard error. No secret of the config passes it.
 */
export class Report {
  readonly isJson: boolean;
  readonly #environment: CliEnvironment;
  #mask = secretMask({});

  constructor(environment: CliEnvironment, isJson: boolean) {
    this.#environment = environment;
    this.isJson = isJson;
  }

  /** From now on, nothing shows a secret that stands in `config`. */
  hideSecretsOf(config: unknown): void {
    this.#mask = secretMask(config);
  }

  /** The result of the command. Called once. */
  result(data: object, toText: () => string): void {
    if (this.isJson) this.#json(data);
    else this.#environment.out(`${this.#mask(toText())}\n`);
  }

  /** A remark beside the result. */
  note(text: string): void {
    this.#environment.err(`${this.#mask(text)}\n`);
  }

  /** Tells of `error` in place of a result. */
  fail(error: unknown): ExitCode {
    const { exitCode, text, details } = describe(error);
    this.note(`kvtier: ${text}`);
    if (this.isJson) this.#json({ error: { message: reasonOf(error), ...details } });
    return exitCode;
  }

  #json(data: object): void {
    const mask = (_key: string, value: unknown): unknown => (typeof value === "string" ? this.#mask(value) : value);
    this.#environment.out(`${JSON.stringify(data, mask)}\n`);
  }
}

interface Failure {
  readonly exitCode: ExitCode;
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
}

function describe(error: unknown): Failure {
  if (error instanceof CliError) return { exitCode: error.exitCode, text: error.message, details: error.details };
  if (KvTierError.is(error)) {
    const { code, message, problems } = error;
    const exitCode = NOT_THE_CONFIG.has(code) ? ExitCode.CheckFailed : ExitCode.Config;
    return { exitCode, text: message, details: { code, ...(problems.length > 0 && { problems }) } };
  }
  // A fault of the program: here the stack is what helps.
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exitCode: ExitCode.CheckFailed, text, details: {} };
}
