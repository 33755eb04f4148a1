import { describe, expect, it } from "@jest/globals";
import { ExitCode } from "../../../src/cli/exit-code.js";
import { TraceFile } from "../../../src/cli/replay/trace-file.js";
import { fileIn } from "../../support/cli-run.js";
import { withTempFolder } from "../../support/temp-folder.js";

/** Characters of the longest line that is read. */
const LONGEST = 16 * 2 ** 20;

async function requestsIn(text: string): Promise<(readonly number[])[]> {
  return withTempFolder(async (folder) => {
    const trace = await TraceFile.open(await fileIn(folder, "t.jsonl", text));
    try {
      const requests: (readonly number[])[] = [];
      for await (const { blockIds } of trace.requests()) requests.push(blockIds);
      expect([trace.size, trace.bytesRead]).toEqual([Buffer.byteLength(text), Buffer.byteLength(text)]);
      return requests;
    } finally {
      await trace.close();
    }
  });
}

describe("TraceFile", () => {
  it("reads lines that are longer than what is read at once", async () => {
    const long = Array.from({ length: 50_000 }, (_, i) => i);
    const lines = [[1], long, [2], long].map((ids) => JSON.stringify({ note: "ünïcödé", hash_ids: ids }));
    expect(await requestsIn(lines.join("\n"))).toEqual([[1], long, [2], long]);
  });

  it("takes a byte order mark and Windows line ends", async () => {
    expect(await requestsIn('\uFEFF{"hash_ids":[1]}\r\n{"hash_ids":[2]}\r\n')).toEqual([[1], [2]]);
  });

  // A line that is searched anew with each chunk takes minutes here.
  it("reads a line of 16 Mi characters, whole", async () => {
    const line = `{"hash_ids":[7],"note":"${"x".repeat(LONGEST - 26)}"}`;
    expect(line).toHaveLength(LONGEST);
    expect(await requestsIn(`${line}\n{"hash_ids":[8]}`)).toEqual([[7], [8]]);
  });

  it.each([
    ["that goes on", LONGEST * 4, ""],
    ["that ends", LONGEST + 1, '\n{"hash_ids":[8]}\n'],
    ["that is the last", LONGEST + 1, ""],
  ])("gives the number of a longer line %s, and reads no further", async (_what, length, after) => {
    await withTempFolder(async (folder) => {
      const path = await fileIn(folder, "t.jsonl", `{"hash_ids":[7]}\n${"x".repeat(length)}${after}`);
      const trace = await TraceFile.open(path);
      const requests = trace.requests();
      expect(await requests.next()).toMatchObject({ value: { blockIds: [7] } });
      await expect(requests.next()).rejects.toMatchObject({
        exitCode: ExitCode.CheckFailed,
        message: `${path}:2: bad line: it is longer than ${LONGEST} characters`,
        details: { line: 2 },
      });
      expect(trace.bytesRead).toBeLessThan(LONGEST + 2 ** 18);
      await trace.close();
    });
  });

  it("finds nothing in an empty file", async () => {
    expect(await requestsIn("")).toEqual([]);
  });

  it("can be left in the middle", async () => {
    await withTempFolder(async (folder) => {
      const trace = await TraceFile.open(await fileIn(folder, "t.jsonl", '{"hash_ids":[]}\n'.repeat(50_000)));
      for await (const _ of trace.requests()) break;
      await trace.close();
      expect(trace.bytesRead).toBeLessThan(trace.size);
    });
  });
});
