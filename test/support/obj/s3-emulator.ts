import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "@20minutes/s3rver";

/** The only keys that the emulator knows. */
export const EMULATOR_KEYS = { accessKey: "S3RVER", secretKey: "S3RVER" };

export interface S3Emulator {
  /** `127.0.0.1:port` */
  readonly endpoint: string;
  close(): Promise<void>;
}

/** An S3 server in this process, with one bucket of that name. It checks signatures, and keeps objects in files. */
export async function startS3Emulator(bucket: string): Promise<S3Emulator> {
  const directory = await mkdtemp(join(tmpdir(), "kvtier-s3-"));
  const server = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await (server.run() as Promise<AddressInfo>);
  return {
    endpoint: `127.0.0.1:${port}`,
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
