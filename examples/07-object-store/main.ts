// Two caches on one bucket of an S3 store, as on two machines: what one stores, the other finds.
//
// Uses the server that S3_ENDPOINT names (and S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY). To try it with MinIO:
//   docker run -p 9000:9000 minio/minio server /data      # user and password: minioadmin; make a bucket first
// In the repository, on Debian, test/services/ceph/s3-up starts Ceph's gateway with a bucket, and prints these variables:
//   test/services/ceph/s3-up /tmp/s3 > s3.env; set -a; . ./s3.env; npm run examples 07; test/services/ceph/s3-down --wipe /tmp/s3
// It needs: npm install undici@7 @smithy/signature-v4@5
import { createTiering, makeOffloadKey } from "kvtier";

const BLOCK_BYTES = 256 * 1024;
const { S3_ENDPOINT, S3_BUCKET = "test", S3_ACCESS_KEY = "", S3_SECRET_KEY = "" } = process.env;

if (S3_ENDPOINT === undefined) {
  console.log("No S3 server was named. Set S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY and S3_SECRET_KEY.");
} else {
  try {
    await shareBlocks(S3_ENDPOINT);
  } catch (error) {
    // Says what to check, such as that there is no such bucket.
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

async function shareBlocks(endpoint: string): Promise<void> {
  const config = {
    cpu_bytes_to_use: "4MiB",
    block_bytes: BLOCK_BYTES,
    model: { name: "llama-3-8b", dtype: "float16", tokens_per_block: 16 },
    secondary_tiers: [
      {
        type: "obj",
        store_config: {
          bucket: S3_BUCKET,
          endpoint_override: endpoint,
          access_key: S3_ACCESS_KEY,
          secret_key: S3_SECRET_KEY,
        },
        prefix: "kvtier-example",
      },
    ],
  };
  const keys = Array.from({ length: 8 }, (_, n) => makeOffloadKey(n.toString(16).padStart(64, "0")));
  const blocks = keys.map((_, n) => new Uint8Array(BLOCK_BYTES).fill(n + 1));

  const writer = await createTiering(config);
  await writer.cache.put(keys, blocks);
  await writer.cache.flush();
  await writer.close();

  const reader = await createTiering(config);
  const found = await reader.cache.get(keys);
  const isRight = found.every((block, n) => Buffer.compare(block, blocks[n] ?? new Uint8Array()) === 0);
  console.log(
    `another cache found ${found.length} of ${keys.length} blocks, ${isRight ? "every byte right" : "and wrong bytes"}`,
  );
  await reader.manager.resetCache({ tiers: true });
  await reader.close();
  if (!isRight || found.length !== keys.length) process.exitCode = 1;
}
