import { formatByteSize } from "../../config/byte-size.js";
import { formatCount, NONE } from "../format.js";
import type { ComponentDescription } from "./describe-backpressure.js";
import type { TierDescription } from "./describe-tier.js";
import type { ShownOptions } from "./shown-options.js";

/** What `inspect --json` prints. */
export interface ConfigDescription {
  /** Top level and model, with defaults. */
  readonly config: ShownOptions;
  /** Blocks in the pool. */
  readonly numBlocks: number;
  /** What tiers keep blocks of this kind under, apart from all others: for `fs`, the folder below `root_dir`. */
  readonly namespace: string;
  readonly tiers: readonly TierDescription[];
  /** Types that need no module. */
  readonly supportedTypes: readonly string[];
}

const INDENT = "  ";

/** What an option without a default is shown as, when it is left out. */
const UNSET = { pending_deadline_s: undefined };

export function inspectText({ config, numBlocks, namespace, tiers, supportedTypes }: ConfigDescription): string {
  return [
    "Config, with defaults",
    ...optionLines({ ...UNSET, ...config }, INDENT),
    "",
    `Pool of ${formatCount(numBlocks)} blocks`,
    `Storage namespace ${namespace}`,
    ...tiers.flatMap((tier) => ["", ...tierLines(tier)]),
    "",
    `Supported tier types: ${supportedTypes.join(", ")}`,
  ].join("\n");
}

function tierLines(tier: TierDescription): string[] {
  const { label, token, class: name, module, medium, locality, options, backpressure } = tier;
  const binding = name === null ? `${module ?? NONE}, imported when it is created` : `${token ?? NONE} → ${name}`;
  return [
    `Tier ${label}: ${[binding, medium, locality].filter((part) => part !== null).join(", ")}`,
    ...optionLines(options, INDENT),
    ...(backpressure === null
      ? []
      : [...componentLines("detector", backpressure.detector), ...componentLines("policy", backpressure.policy)]),
  ];
}

function componentLines(kind: string, { name, token, class: className, options }: ComponentDescription): string[] {
  const binding = className === null ? `${name}, imported when the tier is created` : `${token ?? NONE} → ${className}`;
  return [`${INDENT}${kind}: ${binding}`, ...optionLines(options, INDENT + INDENT)];
}

/** One line for each option, nested ones with their path. */
function optionLines(options: ShownOptions, indent: string): string[] {
  const lines = flatten(options, "");
  const width = Math.max(0, ...lines.map(([path]) => path.length));
  return lines.map(([path, value]) => `${indent}${path.padEnd(width)}  ${valueText(path, value)}`);
}

function valueText(path: string, value: unknown): string {
  if (value === undefined) return "none";
  const isSize = typeof value === "number" && value >= 1024 && /(?:^|_)bytes(?:_|$)/.test(path);
  return isSize ? `${value} (${formatByteSize(value)})` : JSON.stringify(value);
}

function flatten(options: ShownOptions, path: string): [path: string, value: unknown][] {
  return Object.entries(options).flatMap(([key, value]) => {
    const name = path === "" ? key : `${path}.${key}`;
    const isBlock = typeof value === "object" && value !== null && !Array.isArray(value);
    return isBlock ? flatten(value as ShownOptions, name) : [[name, value] as [string, unknown]];
  });
}
