import { execFile, spawnSync } from "node:child_process";
import { readFile, rm, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe } from "@jest/globals";

const run = promisify(execFile);
const script = (name: string): string => fileURLToPath(new URL(`../../services/ceph/${name}`, import.meta.url));

/**
 * As `describe`, for tests that need Ceph's object gateway. Where it is not installed they are skipped, and say so; not in
 * CI, where that would go unnoticed.
 */
export function describeRgw(name: string, body: () => void): void {
  const isThere = ["radosgw", "ceph-mon", "ceph-osd"].every(
    (command) => spawnSync(command, ["--version"]).status === 0,
  );
  if (isThere || process.env.CI === "true") {
    describe(name, body);
    return;
  }
  const install = "apt-get install -y --no-install-recommends ceph-mon ceph-osd radosgw curl";
  console.warn(`Skipped, as there is no Ceph object gateway: ${name}. Debian: ${install}`);
  describe.skip(name, body);
}

/** A private Ceph of one node with its S3 gateway, on loopback. */
export class Rgw {
  /** `http://127.0.0.1:port` */
  readonly endpoint: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly #folder: string;

  private constructor(folder: string, settings: ReadonlyMap<string, string>) {
    const setting = (name: string): string => settings.get(name) ?? "";
    this.#folder = folder;
    this.endpoint = setting("S3_ENDPOINT");
    this.bucket = setting("S3_BUCKET");
    this.accessKey = setting("S3_ACCESS_KEY");
    this.secretKey = setting("S3_SECRET_KEY");
  }

  static async start(): Promise<Rgw> {
    const folder = await mkdtemp(join(tmpdir(), "kvtier-ceph-"));
    return new Rgw(folder, await up(folder));
  }

  /** `host:port`, bucket and keys as `store_config`; `endpoint` may be one in front of it. */
  storeConfig(endpoint = this.endpoint): Record<string, string> {
    const { bucket, accessKey, secretKey } = this;
    return { bucket, endpoint_override: endpoint, access_key: accessKey, secret_key: secretKey };
  }

  async kill(): Promise<void> {
    process.kill(await this.#gateway(), "SIGKILL");
  }

  /** After a {@link kill}: on the data that it had. */
  async restart(): Promise<void> {
    await up(this.#folder);
  }

  async freeze(): Promise<void> {
    process.kill(await this.#gateway(), "SIGSTOP");
  }

  async thaw(): Promise<void> {
    process.kill(await this.#gateway(), "SIGCONT");
  }

  async stop(): Promise<void> {
    await run(script("s3-down"), ["--wipe", this.#folder]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** Established connections of others to the gateway. */
  async connections(): Promise<number> {
    const port = Number(new URL(this.endpoint).port).toString(16).toUpperCase().padStart(4, "0");
    const lines = (await readFile("/proc/net/tcp", "utf8")).split("\n");
    // Columns: number, local address, remote address, state; 01 is established.
    return lines.filter((line) => new RegExp(`^ *\\d+: [0-9A-F:]+ 0100007F:${port} 01 `).test(line)).length;
  }

  /** Its process; the file says number and start. */
  async #gateway(): Promise<number> {
    return Number((await readFile(join(this.#folder, "run", "rgw.pid"), "utf8")).split(" ")[0]);
  }
}

async function up(folder: string): Promise<ReadonlyMap<string, string>> {
  const env = { ...process.env, S3_STORE_BYTES: String(4 * 2 ** 30), S3_START_TIMEOUT: "150" };
  const { stdout } = await run(script("s3-up"), [folder], { env });
  return new Map([...stdout.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = "", value = ""]) => [name, value]));
}
