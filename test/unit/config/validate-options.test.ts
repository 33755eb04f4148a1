import "reflect-metadata";
import { describe, expect, it } from "@jest/globals";
import { Transform, Type } from "class-transformer";
import {
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsPositive,
  IsString,
  Matches,
  ValidateNested,
} from "class-validator";
import { ByteSize } from "../../../src/config/byte-size-option.js";
import { Count, Seconds } from "../../../src/config/number-options.js";
import { NotAbove } from "../../../src/config/order-options.js";
import { validateOptions } from "../../../src/config/validate-options.js";
import { Flag, Text } from "../../../src/config/value-options.js";

class RetryOptions {
  @Count() maxAttempts = 3;
  @Seconds() delayS!: number;
}

class NodeOptions {
  @Text() host!: string;
  @IsOptional() @ValidateNested() @Type(() => RetryOptions) retry?: RetryOptions;
}

class SampleOptions {
  @Text() rootDir!: string;
  @Count() nReadThreads = 2;
  @Flag() enableKvEvents = false;
  @ByteSize({ optional: true }) maxBytes?: number;
  @IsOptional() @ValidateNested() @Type(() => RetryOptions) retry?: RetryOptions;
  @IsOptional() @ValidateNested({ each: true }) @Type(() => NodeOptions) nodes?: NodeOptions[];
  @IsOptional() @IsObject() backendParams?: Record<string, unknown>;
  @IsOptional() @Matches(/^ok/, { message: "$property has the wrong value $value" }) password?: string;

  describe(): string {
    return this.rootDir;
  }
}

const problemsOf = (raw: unknown, contract: Parameters<typeof validateOptions>[0] = SampleOptions) =>
  validateOptions(contract, raw, "tier").problems;
const messageOf = (raw: unknown, path: string) => problemsOf(raw).find((problem) => problem.path === path)?.message;

describe("validateOptions with a config class", () => {
  it("gives a frozen instance with the class's defaults, from either spelling", () => {
    const snake = validateOptions(SampleOptions, { root_dir: "/x", max_bytes: "1KiB" }, "tier");
    const camel = validateOptions(SampleOptions, { rootDir: "/x", maxBytes: 1024 }, "tier");
    expect(snake.problems).toEqual([]);
    expect(snake.value).toBeInstanceOf(SampleOptions);
    expect(snake.value).toMatchObject({ rootDir: "/x", nReadThreads: 2, enableKvEvents: false, maxBytes: 1024 });
    expect(camel.value).toEqual(snake.value);
    expect(Object.isFrozen(snake.value)).toBe(true);
  });

  it("makes instances of nested classes, frozen too, and fills in their defaults", () => {
    const raw = { root_dir: "/x", retry: { delay_s: 1 }, nodes: [{ host: "a", retry: { delayS: 2 } }] };
    const { value } = validateOptions(SampleOptions, raw, "tier") as { value: SampleOptions };
    expect(value.retry).toBeInstanceOf(RetryOptions);
    expect(value.retry?.maxAttempts).toBe(3);
    expect(value.nodes?.[0]?.retry).toBeInstanceOf(RetryOptions);
    expect(Object.isFrozen(value.nodes?.[0]?.retry)).toBe(true);
  });

  it("treats an explicit undefined as left out, and the default applies", () => {
    const { value, problems } = validateOptions(SampleOptions, { root_dir: "/x", n_read_threads: undefined }, "tier");
    expect(problems).toEqual([]);
    expect(value).toMatchObject({ nReadThreads: 2 });
  });

  it("suggests the key that was meant, in snake_case, and only when one is close", () => {
    expect(problemsOf({ root_dir: "/x", root_dirr: "/y" })).toEqual([
      { path: "tier.root_dirr", message: "unknown key, did you mean root_dir?" },
    ]);
    expect(problemsOf({ root_dir: "/x", nReedThreads: 1 })).toEqual([
      { path: "tier.nReedThreads", message: "unknown key, did you mean n_read_threads?" },
    ]);
    expect(messageOf({ root_dir: "/x", colour: 1 }, "tier.colour")).toMatch(
      /^unknown key; known are root_dir, n_read_/,
    );
  });

  it("suggests keys that are read elsewhere", () => {
    expect(
      validateOptions(SampleOptions, { root_dir: "/x", backpresure: {} }, "tier", ["backpressure"]).problems,
    ).toEqual([{ path: "tier.backpresure", message: "unknown key, did you mean backpressure?" }]);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty", "describe", "prototype"])(
    "reports the own key %s as unknown, although objects inherit one",
    (key) => {
      const raw: unknown = JSON.parse(`{"root_dir": "/x", ${JSON.stringify(key)}: {"polluted": true}}`);
      expect(problemsOf(raw)).toEqual([{ path: `tier.${key}`, message: expect.stringMatching(/^unknown key;/) }]);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    },
  );

  it("reports symbol keys, and keys that are no names, in a readable form", () => {
    expect(problemsOf({ root_dir: "/x", [Symbol("s")]: 1, "x-y": 2 }).map(({ path }) => path)).toEqual([
      'tier["x-y"]',
      "tier[Symbol(s)]",
    ]);
  });

  it("never sees inherited keys", () => {
    expect(messageOf(Object.create({ root_dir: "/x" }), "tier")).toMatch("must be an object");
    expect(messageOf(Object.create(null), "tier.root_dir")).toMatch("is missing");
  });

  it("names both spellings when one option is given in both", () => {
    expect(problemsOf({ root_dir: "/x", rootDir: "/y" })).toEqual([
      { path: "tier.rootDir", message: "given twice, as root_dir and as rootDir" },
    ]);
    expect(problemsOf({ root_dir: "/x", rootDir: undefined })).toEqual([]);
  });

  it("names missing keys in snake_case, all of them, also inside a nested block that is left out", () => {
    class Outer {
      @ValidateNested() @Type(() => RetryOptions) retryRule!: RetryOptions;
      @Text() rootDir!: string;
    }
    expect(problemsOf({}, Outer)).toEqual([
      { path: "tier.retry_rule.delay_s", message: "is missing; it must be a positive number of seconds" },
      { path: "tier.root_dir", message: "is missing; it must be a non-empty string" },
    ]);
  });

  it("fills in a required block that has only defaults", () => {
    class Limits {
      @Count() most = 3;
    }
    class Outer {
      @ValidateNested() @Type(() => Limits) limits!: Limits;
    }
    expect(validateOptions(Outer, {}, "tier")).toMatchObject({ value: { limits: { most: 3 } }, problems: [] });
  });

  it("misses a required list of blocks", () => {
    class Outer {
      @IsArray() @ValidateNested() @Type(() => RetryOptions) rules!: RetryOptions[];
    }
    expect(problemsOf({}, Outer)).toEqual([
      { path: "tier.rules", message: "is missing; it must be an array of objects" },
    ]);
  });

  it("finds faults in blocks and lists of blocks, with full paths in the caller's spelling", () => {
    const raw = {
      rootDir: "/x",
      retry: { delayS: 0, maxAtempts: 1 },
      nodes: [{ host: "a" }, { host: "", retry: { delay_s: 1, x: 1 } }, 5],
    };
    expect(problemsOf(raw)).toEqual([
      { path: "tier.retry.maxAtempts", message: "unknown key, did you mean max_attempts?" },
      { path: "tier.nodes[1].retry.x", message: "unknown key; known are max_attempts, delay_s" },
      { path: "tier.nodes[2]", message: "must be an object; got a number" },
      { path: "tier.retry.delayS", message: "must be a positive number of seconds; got 0" },
      { path: "tier.nodes[1].host", message: 'must be a non-empty string; got ""' },
    ]);
  });

  it("takes no list for a block and no block for a list", () => {
    expect(problemsOf({ root_dir: "/x", retry: [{ delay_s: 1 }], nodes: { host: "a" } })).toEqual([
      { path: "tier.retry", message: "must be an object; got an array" },
      { path: "tier.nodes", message: "must be an array of objects; got an object" },
    ]);
  });

  it.each(["root_dir", "n_read_threads", "max_bytes", "retry", "nodes", "backend_params"])(
    "refuses null for %s",
    (key) => {
      const problems = problemsOf({ root_dir: "/x", [key]: null });
      expect(problems).toEqual([{ path: `tier.${key}`, message: "must not be null; leave the key out instead" }]);
    },
  );

  it.each([["16"], [Number.NaN], [Infinity], [-1], [0], [1.5], [true], [[2]], [2 ** 60]])(
    "refuses %p for a count",
    (count) => {
      expect(messageOf({ root_dir: "/x", n_read_threads: count }, "tier.n_read_threads")).toMatch(
        /^must be a positive integer; got /,
      );
    },
  );

  it.each([["false"], ["true"], [0], [1], [""], [{}]])("never reads %p as true or false", (flag) => {
    expect(messageOf({ root_dir: "/x", enable_kv_events: flag }, "tier.enable_kv_events")).toMatch(
      "must be true or false",
    );
  });

  it.each([[5], ["x"], [[]], [null], [new Date(0)], [() => 1]])("refuses %p instead of an object of options", (raw) => {
    expect(messageOf(raw, "tier")).toMatch(/^must be an object; got /);
  });

  it.each([[new Uint8Array(4)], [new Date(0)], [new Map()], [() => 1], [Symbol("x")], [1n]])(
    "refuses the live value %p inside options",
    (live) => {
      expect(problemsOf({ root_dir: live, backend_params: { a: [live] } })).toEqual([
        { path: "tier.root_dir", message: expect.stringMatching(/^must be plain data; got /) },
        { path: "tier.backend_params.a[0]", message: expect.stringMatching(/^must be plain data; got /) },
      ]);
    },
  );

  it("copies free-form data and refuses prototype keys in it", () => {
    const params = { a: { b: [1] } };
    const { value } = validateOptions(SampleOptions, { root_dir: "/x", backend_params: params }, "tier");
    params.a.b.push(2);
    expect(value).toMatchObject({ backendParams: { a: { b: [1] } } });
    const bad: unknown = JSON.parse('{"root_dir": "/x", "backend_params": {"a": {"__proto__": {"x": 1}}}}');
    expect(problemsOf(bad)).toEqual([{ path: "tier.backend_params.a.__proto__", message: "unknown key" }]);
  });

  it("ends on a cycle instead of overflowing the stack", () => {
    const params: Record<string, unknown> = {};
    params.self = params;
    expect(problemsOf({ root_dir: "/x", backend_params: params })).toHaveLength(1);
  });

  it("rewrites class-validator's own messages so that they read on after the path", () => {
    class Plain {
      @IsInt() @IsPositive() blockCount!: number;
      @IsIn(["a", "b"]) modeName!: string;
      @IsString({ each: true }) hostNames!: string[];
    }
    expect(problemsOf({ block_count: -1.5, mode_name: "c", host_names: [1] }, Plain)).toEqual([
      { path: "tier.block_count", message: "must be a positive number, must be an integer number; got -1.5" },
      { path: "tier.mode_name", message: 'must be one of the following values: a, b; got "c"' },
      { path: "tier.host_names", message: "each value must be a string; got an array" },
    ]);
  });

  it("shows no value of a secret key, not even through the class's own message", () => {
    expect(problemsOf({ root_dir: "/x", password: "hunter2" })).toEqual([
      { path: "tier.password", message: "must be valid; got a string" },
    ]);
    expect(problemsOf({ root_dir: "/x", pasword: "hunter2" })).toEqual([
      { path: "tier.pasword", message: "unknown key, did you mean password?" },
    ]);
  });

  it("checks options against each other and says both names in snake_case", () => {
    class Marks {
      @Seconds() highWaterS!: number;
      @Seconds({ zero: true }) @NotAbove("highWaterS") lowWaterS = 0.001;
    }
    expect(problemsOf({ high_water_s: 1, low_water_s: 2 }, Marks)).toEqual([
      { path: "tier.low_water_s", message: "must not be above high_water_s (1); got 2" },
    ]);
    expect(problemsOf({ high_water_s: 1, low_water_s: 1 }, Marks)).toEqual([]);
    expect(problemsOf({ high_water_s: "x", low_water_s: 1 }, Marks)).toHaveLength(1);
    expect(problemsOf({ high_water_s: 0.0001 }, Marks)[0]?.path).toBe("tier.low_water_s");
  });

  it("works with an inherited config class, and with one that declares nothing", () => {
    class Derived extends SampleOptions {
      @Count() extra = 1;
    }
    class Empty {}
    expect(problemsOf({ root_dir: "/x", extra: 2 }, Derived)).toEqual([]);
    expect(validateOptions(Empty, {}, "tier").value).toBeInstanceOf(Empty);
    expect(problemsOf({ a: 1 }, Empty)).toEqual([{ path: "tier.a", message: "unknown key" }]);
  });

  it("tells the author of a class that @Type is missing", () => {
    class NoType {
      @ValidateNested() retry!: RetryOptions;
    }
    expect(problemsOf({ retry: { delay_s: 1 } }, NoType)).toEqual([
      { path: "tier.retry", message: "cannot be read: NoType.retry needs @Type(() => ItsClass)" },
    ]);
  });

  it("turns what foreign code throws into a problem that does not repeat its text", () => {
    class Throwing {
      @Transform(() => {
        throw new TypeError("hunter2");
      })
      @Text()
      name!: string;
    }
    const getter = Object.defineProperty({}, "root_dir", {
      get: () => {
        throw new RangeError("hunter2");
      },
    });
    expect(problemsOf({ name: "x" }, Throwing)).toEqual([
      { path: "tier", message: "could not be read (TypeError was thrown)" },
    ]);
    expect(problemsOf(getter)).toEqual([{ path: "tier", message: "could not be read (RangeError was thrown)" }]);
  });
});
