import { describe, expect, it } from "@jest/globals";
import { TraceFile } from "../../../src/cli/replay/trace-file.js";
import { fileIn } from "../../support/cli-run.js";
import { withTempFolder } from "../../support/temp-folder.js";

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
