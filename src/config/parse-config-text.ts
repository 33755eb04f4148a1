import { parseTree, printParseErrorCode, type Node, type ParseError } from "jsonc-parser";
import type { ConfigProblem } from "../errors/kv-tier-error.js";
import { configInvalid } from "./config-invalid.js";

/**
 * The value in a config file: JSON, or JSON with comments and trailing commas. Only the syntax is looked at. A key that
 * stands twice in one object is an error, since one of the two would be lost in silence.
 *
 * @param file how the file is called in errors, whose paths are `file:line:column`, both from 1
 * @throws KvTierError `CONFIG_INVALID` with the first fault of the syntax, or every key that stands twice.
 */
export function parseConfigText(text: string, file: string): unknown {
  const problems: ConfigProblem[] = [];
  const report = (offset: number, message: string): void => {
    problems.push({ path: `${file}:${positionOf(text, offset)}`, message });
  };
  let value: unknown;
  try {
    const faults: ParseError[] = [];
    // An empty text has no tree and its fault is among `faults`.
    const root = parseTree(text.replace(/^\uFEFF/, " "), faults, { allowTrailingComma: true });
    // Only the first: the parser guesses on from there, and what it then finds is mostly no fault of the text.
    const [fault] = faults;
    if (fault !== undefined) report(fault.offset, faultText(printParseErrorCode(fault.error)));
    else if (root !== undefined) value = valueOf(root, report);
  } catch {
    report(0, "is nested too deeply");
  }
  if (problems.length > 0) throw configInvalid(problems, "config file");
  return value;
}

function valueOf(node: Node, report: (offset: number, message: string) => void): unknown {
  if (node.type === "array") return (node.children ?? []).map((item) => valueOf(item, report));
  if (node.type !== "object") return node.value as unknown;
  const value: Record<string, unknown> = {};
  for (const { children: [keyNode, valueNode] = [] } of node.children ?? []) {
    if (keyNode === undefined || valueNode === undefined) continue;
    const key = String(keyNode.value);
    if (Object.hasOwn(value, key)) report(keyNode.offset, `the key ${JSON.stringify(key)} stands twice in its object`);
    // As JSON.parse does: "__proto__" becomes an own key, for validation to refuse, and never a prototype.
    Object.defineProperty(value, key, {
      value: valueOf(valueNode, report),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return value;
}

function positionOf(text: string, offset: number): string {
  const before = text.slice(0, offset);
  return `${before.split("\n").length}:${offset - before.lastIndexOf("\n")}`;
}

/** `CommaExpected` → `comma expected`. */
function faultText(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
