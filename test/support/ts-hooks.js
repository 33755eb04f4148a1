import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { transform } from "@swc/core";

/**
 * Lets plain Node import the TypeScript sources, compiled as the tests compile them, for tests that need a second
 * process.
 */

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!specifier.startsWith(".") || !specifier.endsWith(".js")) throw error;
    return next(specifier.replace(/\.js$/, ".ts"), context);
  }
}

/** @type {import("node:module").LoadHook} */
export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), "utf8"), {
    jsc: {
      target: "es2022",
      parser: { syntax: "typescript", decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: false, useDefineForClassFields: true },
    },
    module: { type: "es6" },
  });
  return { format: "module", source: code, shortCircuit: true };
}
