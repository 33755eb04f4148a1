import { resolve } from "node:path";
import type { ValidationArguments } from "class-validator";
import { optionRule } from "../../config/option-rule.js";

/** Folders of a `root_dir`: one, or with `path_sharding` a list of them, separated by commas. */
export function rootDirsOf(rootDir: string, isSharded: boolean): readonly string[] {
  return isSharded ? rootDir.split(",").map((part) => part.trim()) : [rootDir];
}

/** Goes with `@Text()` on the option that {@link rootDirsOf} reads, in a class that has `pathSharding`. */
export function RootDirs(): PropertyDecorator {
  return optionRule(
    "rootDirs",
    (_, args) => problemOf(args) === null,
    (args) => problemOf(args) ?? "",
  );
}

function problemOf(args: ValidationArguments | undefined): string | null {
  const value: unknown = args?.value;
  if (args === undefined || typeof value !== "string") return null;
  const isSharded = Reflect.get(args.object, "pathSharding") !== undefined;
  if (!isSharded) {
    return value.includes(",")
      ? 'must be one folder; a list, separated by commas, needs path_sharding "by_block_hash"'
      : null;
  }
  const roots = rootDirsOf(value, true);
  if (roots.includes("")) return "must not have an empty folder in its list";
  const isTwice = new Set(roots.map((root) => resolve(root))).size < roots.length;
  return isTwice ? "must not name a folder twice" : null;
}
