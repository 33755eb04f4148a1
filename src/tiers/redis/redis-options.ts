import type { ValidationArguments } from "class-validator";
import { optionRule, UNSHOWN } from "../../config/option-rule.js";
import { isRedisUrl, parseNode } from "./redis-address.js";

const fieldOf = (args: ValidationArguments | undefined, name: string): unknown =>
  args === undefined ? undefined : Reflect.get(args.object, name);

/** The server's URL; either it or the option `nodes` must be there. It may hold a password, so it is never shown. */
export function RedisUrl(): PropertyDecorator {
  return optionRule(
    UNSHOWN,
    (value, args) => {
      const hasNodes = fieldOf(args, "nodes") !== undefined;
      if (value === undefined) return hasNodes;
      if (hasNodes) return false;
      return isRedisUrl(value) && (!hasCredentials(value) || fieldOf(args, "password") === undefined);
    },
    (args) => urlMessage(args?.value, args),
  );
}

/** Names the fault, as the value is not shown. */
function urlMessage(value: unknown, args: ValidationArguments | undefined): string {
  if (value === undefined) return "must name a server, such as redis://127.0.0.1:6379, unless nodes names a cluster";
  if (fieldOf(args, "nodes") !== undefined) return "must not be given together with nodes";
  if (isRedisUrl(value)) return "must not hold credentials when password is given too";
  return "must be a URL such as redis://127.0.0.1:6379/0, or rediss:// for TLS, with nothing after the database";
}

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== "" || password !== "";
}

/** Some nodes of a cluster. */
export function RedisNodes(): PropertyDecorator {
  return optionRule(
    UNSHOWN,
    (value) => Array.isArray(value) && value.length > 0 && value.every((node) => parseNode(node) !== null),
    () => 'must be a non-empty array of addresses such as "10.0.0.1:6379", without scheme or credentials',
    true,
  );
}

/** What keys begin with. */
export function KeyPrefix(): PropertyDecorator {
  return optionRule(
    "keyPrefix",
    (value) => typeof value === "string" && !/[{}\s\p{Cc}]/u.test(value),
    // In braces is what a cluster takes the slot from: all blocks would be on one master.
    () => "must be a string without braces, spaces or control characters",
  );
}
