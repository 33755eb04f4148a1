import { truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { createTestTiering, type TestTiering } from "../../src/testing/create-test-tiering.js";
import { filesBelow, withTempFolder } from "../support/temp-folder.js";
import { bytesOf, configOf, keysOf } from "../unit/cache/cache-rig.js";
import { request, STEP_END } from "../unit/orchestrator/step-rig.js";

/** Steps until nothing is pending: files are read by threads, in real time. */
async function settled({ manager }: TestTiering): Promise<void> {
  do {
    manager.onScheduleEnd(STEP_END);
    await new Promise((resolve) => setImmediate(resolve));
  } while (manager.hasPendingWork());
}

describe("A1: one torn file is loaded once, whoever asks, until it is stored anew", () => {
  it("with two live requests, through the whole stack", async () => {
    await withTempFolder(async (folder) => {
      const tiering = await createTestTiering(configOf(2, [{ type: "fs", root_dir: folder }]));
      const { cache, manager } = tiering;
      const [k] = keysOf(1);
      if (k === undefined) throw new Error("No key.");
      await cache.put([k], [bytesOf(1)]);
      await manager.resetCache();
      const files = (await filesBelow(folder)).filter((file) => file.endsWith(".bin"));
      expect(files).toHaveLength(1);
      while (manager.lookup(k, request("a")) !== "hit_pending") await settled(tiering);
      expect(manager.lookup(k, request("b"))).toBe("hit_pending");
      // The look-up has passed, in this very tick: the load has to notice.
      for (const file of files) truncateSync(join(folder, file), 3);
      await settled(tiering);

      const polls: string[] = [];
      for (let i = 0; i < 100; i++) {
        polls.push(manager.lookup(k, request("a")), manager.lookup(k, request("b")));
        await settled(tiering);
      }
      expect(new Set(polls)).toEqual(new Set(["miss"]));
      expect(manager.getStats().tiers[0]).toMatchObject({ promotionFailures: 1, bytesRead: 0 });

      await cache.put([k], [bytesOf(1)]);
      await cache.put(keysOf(2, 3), [bytesOf(2), bytesOf(3)]);
      await settled(tiering);
      expect(manager.isResident(k)).toBe(false);
      expect(await cache.get([k])).toEqual([bytesOf(1)]);
      expect(manager.getStats().tiers[0]).toMatchObject({ promotionFailures: 1 });
      for (const reqId of ["a", "b"]) manager.onRequestFinished(request(reqId));
      await tiering.close();
    });
  });
});
