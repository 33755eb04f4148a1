import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { withTempFolder } from "../support/temp-folder.js";

const REGISTER = new URL("../support/register-ts.js", import.meta.url).href;

async function run(script: string, ...args: string[]): Promise<string> {
  const path = fileURLToPath(new URL(`../support/${script}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", REGISTER, path, ...args]);
  return stdout;
}

describe("A process in which nothing but kvtier is at work", () => {
  it("lives as long as somebody awaits a block or a deadline, and then ends by itself", async () => {
    expect(await run("awaiting-process.ts", "example")).toBe("0,1,2,3 0 done");
  });

  it("does so with worker threads too", async () => {
    await withTempFolder(async (folder) => {
      expect(await run("awaiting-process.ts", "fs", folder)).toBe("0,1,2,3 0 done");
    });
  });

  it("lives until the threads of a tier are gone, whenever it is closed", async () => {
    await withTempFolder(async (folder) => {
      expect(await run("closing-process.ts", "fs", folder)).toBe("done");
    });
  });
});
