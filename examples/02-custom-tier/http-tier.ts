import { BlockStoreTier, Medium, SecondaryTier, storageNamespace, Text, type OffloadKey } from "kvtier";

export class HttpTierConfig {
  /** Where blocks are PUT, such as a WebDAV folder. */
  @Text()
  baseUrl!: string;
}

/** Blocks on any server that takes PUT, GET and HEAD. */
@SecondaryTier("http", { config: HttpTierConfig, medium: Medium.Storage })
export class HttpTier extends BlockStoreTier<HttpTierConfig> {
  async exists(keys: readonly OffloadKey[]): Promise<boolean[]> {
    return Promise.all(keys.map(async (key) => (await fetch(this.#url(key), { method: "HEAD" })).ok));
  }

  async write(key: OffloadKey, block: Uint8Array, signal: AbortSignal): Promise<void> {
    const response = await fetch(this.#url(key), { method: "PUT", body: new Uint8Array(block), signal });
    if (!response.ok) throw new Error(`PUT answered ${response.status}`);
  }

  async read(key: OffloadKey, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const response = await fetch(this.#url(key), { signal });
    const body = new Uint8Array(await response.arrayBuffer());
    if (!response.ok || body.length !== into.length) throw new Error(`GET answered ${response.status}`);
    into.set(body);
  }

  #url(key: OffloadKey): string {
    return `${this.context.config.baseUrl}/${storageNamespace(this.context.offloadingSpec)}/${key}`;
  }
}
