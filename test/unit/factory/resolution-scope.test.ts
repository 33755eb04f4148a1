import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { ResolutionScope } from "../../../src/factory/resolution-scope.js";
import { TOKENS } from "../../../src/tokens.js";

const scopeOf = (type: string): ResolutionScope =>
  new ResolutionScope(type, `kv.tier:${type}`).provide(TOKENS.tierType, type);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A creation that goes on until `end` is called, and then says whose values it sees. */
function creation(type: string): { seen: Promise<unknown>; end: () => void } {
  let end = (): void => {};
  const ending = new Promise<void>((resolve) => (end = resolve));
  const seen = scopeOf(type).run(async () => {
    await ending;
    await turn();
    return ResolutionScope.resolve(TOKENS.tierType);
  });
  return { seen, end };
}

describe("ResolutionScope", () => {
  afterEach(() => void jest.restoreAllMocks());

  it("keeps overlapping creations apart, also when another one ends first", async () => {
    const [a, b] = [creation("a"), creation("b")];
    a.end();
    expect(await a.seen).toBe("a");
    b.end();
    expect(await b.seen).toBe("b");
    const again = creation("c");
    again.end();
    expect(await again.seen).toBe("c");
  });

  it("watches no promise of the process once the last creation has ended", async () => {
    const disable = jest.spyOn(AsyncLocalStorage.prototype, "disable");
    const [a, b] = [creation("a"), creation("b")];
    a.end();
    await a.seen;
    expect(disable).not.toHaveBeenCalled();
    b.end();
    await b.seen;
    expect(disable).toHaveBeenCalledTimes(1);
  });

  it("has no current creation outside of one", async () => {
    const a = creation("a");
    a.end();
    await a.seen;
    expect(ResolutionScope.current).toBeUndefined();
    expect(() => ResolutionScope.resolve(TOKENS.tierType)).toThrow(expect.objectContaining({ code: "INVALID_STATE" }));
  });
});
