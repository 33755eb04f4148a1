import { reasonOf } from "../../errors/factory-errors.js";
import { S3Error } from "./s3-error.js";

/** What a request is signed with. */
export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Answers with keys that it keeps; with `forceRefresh` it fetches new ones. AWS's chain is one. */
export type KeyProvider = (options?: { forceRefresh?: boolean }) => Promise<AwsKeys>;

/**
 * The keys of a tier, either fixed or from a provider. When a server says that they have expired, all who hear so share
 * one refresh.
 */
export class Credentials {
  readonly #source: AwsKeys | KeyProvider;
  #round = 0;
  #refreshing: Promise<void> | null = null;

  constructor(source: AwsKeys | KeyProvider) {
    this.#source = source;
  }

  /** How many refreshes there were. Look at it before {@link keys}, and hand it to {@link refresh}. */
  get round(): number {
    return this.#round;
  }

  /** @throws S3Error when there are none */
  async keys(): Promise<AwsKeys> {
    return typeof this.#source === "function" ? fetched(this.#source) : this.#source;
  }

  /**
   * Has new keys fetched, unless that was done since `round`.
   *
   * @returns whether another try may be worth it: not with fixed keys
   * @throws S3Error when there are none
   */
  async refresh(round: number): Promise<boolean> {
    if (typeof this.#source !== "function") return false;
    if (round !== this.#round) return true;
    this.#refreshing ??= this.#fetchAnew(this.#source);
    await this.#refreshing;
    return true;
  }

  async #fetchAnew(provider: KeyProvider): Promise<void> {
    try {
      await fetched(provider, { forceRefresh: true });
      this.#round++;
    } finally {
      this.#refreshing = null;
    }
  }
}

async function fetched(provider: KeyProvider, options?: { forceRefresh: boolean }): Promise<AwsKeys> {
  try {
    return await provider(options);
  } catch (cause) {
    throw new S3Error(0, "NoCredentials", `No credentials: ${reasonOf(cause)}`, cause);
  }
}
