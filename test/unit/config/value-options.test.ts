import "reflect-metadata";
import { describe, expect, it } from "@jest/globals";
import { validateOptions } from "../../../src/config/validate-options.js";
import { Text } from "../../../src/config/value-options.js";

class Options {
  @Text() rootDir!: string;
  @Text({ empty: true }) layout = "";
}

const problemsOf = (rootDir: unknown): unknown =>
  validateOptions(Options, { rootDir }, "tier").problems.map(({ message }) => message);

describe("Text", () => {
  it.each([
    ["", 'must be a non-empty string; got ""'],
    [" ", 'must not be blank; got " "'],
    ["\t\n", 'must not be blank; got "\\t\\n"'],
    [5, "must be a non-empty string; got 5"],
  ])("refuses %j", (value, message) => {
    expect(problemsOf(value)).toEqual([message]);
  });

  it("leaves the blanks of other text alone, and takes any string where an empty one is fine", () => {
    const { value, problems } = validateOptions(Options, { root_dir: " /x y", layout: " " }, "tier");
    expect(problems).toEqual([]);
    expect(value).toMatchObject({ rootDir: " /x y", layout: " " });
  });
});
